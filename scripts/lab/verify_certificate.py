#!/usr/bin/env python3
"""Checks the certificate of a solved Tanbo position with its own implementation of the rules. Needs Python 3.8.
Usage: scripts/lab/verify_certificate.py FILE
Names faults in the words of `tanada verify`. Exit status: 0 valid, 1 damaged or false, 2 the file cannot be read."""

import re
import sys
import zlib

WORDS = ("black", "white")


class Refused(Exception):
    """A fault of a certificate."""


class Rules:
    """The rules on bit sets. A point is bit row * (side + 1) + column; the unused column separates the rows."""

    def __init__(self, side):
        self.side, self.step = side, side + 1
        self.board = sum(((1 << side) - 1) << (row * self.step) for row in range(side))

    def legal(self, own, other):
        """Legal moves of `own`: empty points with exactly one adjacent own stone (an odd number, and no two opposite)."""
        west, east, south, north = own << 1, own >> 1, own << self.step, own >> self.step
        return (west ^ east ^ south ^ north) & ~(west & east | south & north | own | other) & self.board

    def around(self, points):
        return points << 1 | points >> 1 | points << self.step | points >> self.step

    def spread(self, stones, own):
        """All stones of the roots of `own` that contain any of the given stones."""
        front = stones
        while front:
            front = self.around(front) & own & ~stones
            stones |= front
        return stones

    def free(self, own, other):
        """The stones of the roots of `own` that are not bounded."""
        return self.spread(self.around(self.legal(own, other)) & own, own)

    def play(self, own, other, move):
        """Plays a legal move of `own`; returns the stones of the next side and of `own`."""
        own |= move
        free = self.free(own, other)
        return (self.free(other, own), free) if free & move else (other, own & ~self.spread(move, own))

    def fault(self, own, other):
        """Why this position cannot occur, or None."""
        if not own or not other:
            return "both sides need stones"
        if self.free(own, other) != own or self.free(other, own) != other:
            return "a root is bounded"
        for rest in (own, other):
            while rest:
                root = self.spread(rest & -rest, rest)
                contacts = bin(root & root >> 1).count("1") + bin(root & root >> self.step).count("1")
                if contacts != bin(root).count("1") - 1:
                    return "a root holds a loop"
                rest ^= root
        return None

    def name(self, move):
        row, column = divmod(move.bit_length() - 1, self.step)
        return f"{'ABCDEFGHJKLMNOPQRSTUV'[column]}{row + 1}"

    def diagram(self, own, other, turn):
        black, white = (other, own) if turn else (own, other)
        points = ["X" if black >> n & 1 else "O" if white >> n & 1 else "." for n in range(self.side * self.step)]
        rows = [" ".join(points[row * self.step :][: self.side]) for row in reversed(range(self.side))]
        return "\n".join([f"to move: {WORDS[turn]}", *rows, ""])


class File:
    """Reads a certificate: header lines, moves, checksum, in this order."""

    def __init__(self, file):
        self.file, self.crc, self.lines = file, 0, 0

    def line(self, form):
        """The next line of the header, or the group in its pattern."""
        text = self.file.readline(101)
        self.crc, self.lines = zlib.crc32(text, self.crc), self.lines + 1
        if found := re.fullmatch(form + "\n?", text.decode("ascii", "replace")):
            return found[found.lastindex or 0].rstrip("\n")
        raise Refused(f"line {self.lines} of the header is {text[:50]}: expected the form `{form}`")

    def moves(self):
        """The winner's moves. Decompresses byte by byte, which reports damage where it is."""
        unpack = zlib.decompressobj()
        while not unpack.eof:
            byte = self.file.read(1)
            self.crc = zlib.crc32(byte, self.crc)
            if not byte:
                raise Refused("the file ends too early")
            try:
                yield from unpack.decompress(byte)
            except zlib.error:
                raise Refused("the compressed moves are damaged") from None

    def end(self):
        rest, expected = self.file.read(5), self.crc.to_bytes(4, "big")
        if len(rest) < 4:
            raise Refused("the file ends too early")
        if rest[:4] != expected:
            raise Refused(f"the checksum at the end is `{rest[:4].hex()}`: expected `{expected.hex()}`")
        if rest[4:]:
            raise Refused("there are bytes after the checksum")


class Counting:
    """Decides positions with one root each by the stones that the sides can place."""

    def __init__(self, rules):
        self.rules = rules

    def has_one_root_each(self, own, other):
        return all(side and self.rules.spread(side & -side, side) == side for side in (own, other))

    def open(self, own, other):
        """The points where `own` may play now or later."""
        around, opened, more = self.rules.around, 0, self.rules.legal(own, other)
        far = self.rules.board & ~(own | other | around(own))
        while more != opened:
            opened, more = more, more | around(more) & far
        return opened

    def most(self, own, other):
        """The most stones that `own` can place."""
        opened, legal = self.open(own, other), self.rules.legal(own, other)
        edges = []  # of each open point: to other ones, and to its root
        for n in range(opened.bit_length()):
            if opened >> n & 1:
                edges.append(bin((self.rules.around(1 << n) & opened)).count("1") + (legal >> n & 1))
        roots = bin(legal).count("1")
        spare, free = (sum(edges) - roots) // 2 + roots - len(edges), 0
        for count in sorted(edges, reverse=True):
            if spare <= 0:
                break
            spare, free = spare - (count - 1), free + 1
        return len(edges) - free

    def sure(self, own, other):
        """Stones that `own` can place where `other` never plays."""
        closed, placed = self.open(other, own), 0
        while fit := self.rules.legal(own, other) & ~closed:
            own, placed = own | fit & -fit, placed + 1
        return placed

    def winner(self, own, other):
        """0 if `own`, which is to move, wins, 1 if `other` does, None if counting does not tell."""
        if not self.has_one_root_each(own, other):
            return None
        if self.sure(own, other) > self.most(other, own):
            return 0
        return 1 if self.sure(other, own) >= self.most(own, other) else None


class Fold:
    """Makes keys that are equal for positions with the same winner: turned or mirrored ones, and with one root each
    those with the same open points."""

    def __init__(self, rules, counting):
        self.rules, self.counting, side = rules, counting, rules.side
        points = [(row, column) for row in range(side) for column in range(side)]
        mirrored = [(up, right) for up in (False, True) for right in (False, True)]
        bit = lambda row, column: row * rules.step + column
        self.views = []
        for up, right in mirrored:
            view = [(side - 1 - row if up else row, side - 1 - column if right else column) for row, column in points]
            self.views += [[bit(*point) for point in view], [bit(*point[::-1]) for point in view]]

    def key(self, own, other):
        sets = [own, other]
        if is_single := self.counting.has_one_root_each(own, other):
            opened = [self.counting.open(own, other), self.counting.open(other, own)]
            sets = [self.rules.legal(own, other), opened[0], self.rules.legal(other, own), opened[1]]
        digits = [[str(chosen >> n & 1) for n in range(self.rules.side * self.rules.step)] for chosen in sets]
        places = ["".join(place) for place in zip(*digits)]
        return is_single, min("".join(places[n] for n in view) for view in self.views)


class Ending:
    """Finds out whether the side to move wins, by trying everything and counting."""

    def __init__(self, rules, limit):
        self.rules, self.limit, self.known = rules, limit, {}
        self.counting = Counting(rules)
        self.searched = 0  # positions with the winner to move

    def after(self, own, other):
        """The positions after each move, those first that leave the side that moved with most legal moves more than the
        other; equal ones stay in the order of the points."""
        moves, found, count = self.rules.legal(own, other), [], lambda *sides: bin(self.rules.legal(*sides)).count("1")
        while moves:
            found.append(self.rules.play(own, other, moves & -moves))
            moves &= moves - 1
        return sorted(found, key=lambda sides: count(*sides) - count(*sides[::-1]))

    def wins(self, own, other):
        """Whether `own`, the claimed winner, wins; it is to move."""
        if not own or not other:
            return not other
        if (winner := self.counting.winner(own, other)) is not None:
            return winner == 0
        if (own, other) not in self.known:
            if self.searched == self.limit:
                raise Refused(f"the search of this ending needs more than {self.limit} positions")
            self.searched += 1
            self.known[own, other] = any(self.withstands(*sides) for sides in self.after(own, other))
        return self.known[own, other]

    def withstands(self, own, other):
        """Whether `other`, the claimed winner, wins whatever `own` does."""
        if not own or not other:
            return not own
        if (winner := self.counting.winner(own, other)) is not None:
            return winner == 1
        return all(self.wins(*sides) for sides in self.after(own, other))


class Walk:
    """Plays the whole strategy: one move when the winner is to move, and every reply of the loser. A part has tables
    of its own while it is walked; an ending is searched."""

    def __init__(self, rules, winner, claimed, moves, version, limit):
        self.rules, self.winner, self.claimed, self.moves = rules, winner, claimed, moves
        self.version, self.limit = version, limit  # the most positions that the search of an ending needs
        self.endings, self.searched = 0, 0  # positions that are endings; positions of their searches
        self.line, self.played = [], 0  # the moves to the current position; the number of moves played so far
        self.positions, self.parts = 0, 0  # positions with the winner to move; parts that were walked
        self.done, self.done_parts = {}, {}  # plies of the longest game: winner to move; parts, with the loser to move
        self.key = Fold(rules, Counting(rules)).key if version == 3 else lambda *sides: sides

    def byte(self):
        if (byte := next(self.moves, None)) is None:
            raise Refused(f"the moves end where {WORDS[self.winner]} needs one")
        return byte

    def search(self, own, other):
        """Searches an ending."""
        ending = Ending(self.rules, self.limit)
        if not ending.wins(own, other):
            raise Refused(f"{WORDS[self.winner]} does not win this ending")
        self.endings, self.searched = self.endings + 1, self.searched + ending.searched

    def choose(self, own, other, legal):
        """Reads the winner's move at a new position, and whether a part begins after it; no move is an ending."""
        if self.positions == self.claimed:
            raise Refused(f"the strategy has more than the {self.claimed} positions that the header claims")
        self.positions += 1
        number = self.byte()
        if self.version == 3 and number == 254:
            self.search(own, other)
            return 0, False
        if begins := self.version > 1 and number == 255:
            if (number := self.byte()) > 256 - self.version:
                raise Refused(f"byte {number} stands where the move of a part is needed")
        if number >= (count := bin(legal).count("1")):
            raise Refused(f"move {number} was chosen where there are only moves 0 to {count - 1}")
        for _ in range(number):
            legal &= legal - 1
        return legal & -legal, begins

    def part(self, own, other, turn):
        """The plies of the longest game from the beginning of a part, with the loser to move."""
        if (key := self.key(own, other)) not in self.done_parts:
            outer, self.done, self.done_parts = (self.done, self.done_parts), {}, {}
            plies = self.longest(own, other, turn)
            self.done, self.done_parts = outer
            self.done_parts[key] = plies
            self.parts += 1
        return self.done_parts[key]

    def longest(self, own, other, turn):
        """The plies of the longest game from here; `own` is to move."""
        winners, losers = (own, other) if turn == self.winner else (other, own)
        if not winners:
            raise Refused(f"{WORDS[1 - self.winner]} wins this game")
        if not losers:
            return 0
        moves, plies, walk = self.rules.legal(own, other), 0, self.longest
        if turn == self.winner:
            if (key := self.key(own, other)) in self.done:
                return self.done[key]
            moves, begins = self.choose(own, other, moves)
            walk = self.part if begins else walk
        while moves:
            self.line.append(moves & -moves)
            self.played += 1
            plies = max(plies, 1 + walk(*self.rules.play(own, other, moves & -moves), 1 - turn))
            moves &= moves - 1
            self.line.pop()
        if turn == self.winner:
            self.done[key] = plies
        return plies


def verify(file):
    """Prints what the certificate proves, or the first position that refutes it."""
    version = int(file.line("tanada certificate ([123])"))
    file.line("game: tanbo")
    turn = WORDS.index(file.line("to move: (black|white)"))
    rows = [file.line(r"[.XO](?: [.XO]){3,9}" if version == 3 else r"[.XO](?: [.XO]){3,20}")]
    rows += [file.line(rf"[.XO](?: [.XO]){{{len(rows[0]) // 2}}}") for _ in range(len(rows[0]) // 2)]
    winner = WORDS.index(file.line("claim: (black|white) wins"))
    number = r"(0|[1-9]\d{0,17})"
    claimed = int(file.line(f"positions: {number}"))
    names = ("parts", "endings")[: version - 1]
    counts = {name: int(file.line(f"{name}: {number}")) for name in names}
    limit = int(file.line(r"search: ([1-9]\d{0,5}|1000000)")) if version == 3 else 0
    longest = int(file.line(f"plies: {number}"))
    file.line("moves: zlib")
    text = "".join(row.replace(" ", "") + "." for row in reversed(rows))
    own, other = (sum(1 << n for n, point in enumerate(text) if point == "XO"[c]) for c in (turn, 1 - turn))
    rules, moves = Rules(len(rows)), file.moves()
    diagram, walk = rules.diagram(own, other, turn), Walk(rules, winner, claimed, moves, version, limit)
    try:
        if fault := rules.fault(own, other):
            raise Refused(f"the rules cannot play from the position of the header: {fault}")
        plies = walk.longest(own, other, turn)
    except Refused:
        for move in walk.line:
            own, other, turn = *rules.play(own, other, move), 1 - turn
        line = " ".join(map(rules.name, walk.line)) or "none, it is the first"
        print(f"The first position that breaks it:\n\n{rules.diagram(own, other, turn)}\nmoves to it: {line}")
        raise
    if next(moves, None) is not None:
        raise Refused("there are more moves than the strategy has positions")
    file.end()
    if (claimed, longest) != (walk.positions, plies):
        raise Refused(f"the strategy has {walk.positions} positions and {plies} plies, not {claimed} and {longest}")
    for name, count in counts.items():
        if count != getattr(walk, name):
            raise Refused(f"the strategy has {getattr(walk, name)} {name}, not {count}")
    print(f"{WORDS[winner].capitalize()} wins: proven for all play from this position\n\n{diagram}")
    print(f"positions checked    {walk.positions}")
    if version > 1:
        print(f"parts                {walk.parts}")
    if version > 2:
        print(f"endings searched     {walk.endings}\npositions of endings {walk.searched}")
    print(f"moves checked        {walk.played}\nlongest game, plies  {plies}")


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]) or len(sys.argv) != 2:
        print(__doc__, file=sys.stdout if len(sys.argv) == 2 else sys.stderr)
        sys.exit(0 if len(sys.argv) == 2 else 2)
    sys.setrecursionlimit(100_000)
    try:
        with open(sys.argv[1], "rb") as opened:
            verify(File(opened))
    except (Refused, OSError, MemoryError, RecursionError) as error:
        status, said = (1, "proves nothing") if isinstance(error, Refused) else (2, "cannot be read")
        print(f"verify_certificate.py: `{sys.argv[1]}` {said}: {error}", file=sys.stderr)
        sys.exit(status)
