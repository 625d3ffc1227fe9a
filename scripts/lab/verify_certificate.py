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


class Walk:
    """Plays the whole strategy: one move when the winner is to move, and every reply of the loser. A part has tables
    of its own while it is walked."""

    def __init__(self, rules, winner, claimed, moves, has_parts):
        self.rules, self.winner, self.claimed, self.moves, self.has_parts = rules, winner, claimed, moves, has_parts
        self.line, self.played = [], 0  # the moves to the current position; the number of moves played so far
        self.positions, self.parts = 0, 0  # positions with the winner to move; parts that were walked
        self.done, self.done_parts = {}, {}  # plies of the longest game: winner to move; parts, with the loser to move

    def byte(self):
        if (byte := next(self.moves, None)) is None:
            raise Refused(f"the moves end where {WORDS[self.winner]} needs one")
        return byte

    def choose(self, legal):
        """Reads the winner's move at a new position, and whether a part begins after it."""
        if self.positions == self.claimed:
            raise Refused(f"the strategy has more than the {self.claimed} positions that the header claims")
        self.positions += 1
        number = self.byte()
        if begins := self.has_parts and number == 255:
            if (number := self.byte()) == 255:
                raise Refused("byte 255 stands where the move of a part is needed")
        if number >= (count := bin(legal).count("1")):
            raise Refused(f"move {number} was chosen where there are only moves 0 to {count - 1}")
        for _ in range(number):
            legal &= legal - 1
        return legal & -legal, begins

    def part(self, own, other, turn):
        """The plies of the longest game from the beginning of a part, with the loser to move."""
        if (own, other) not in self.done_parts:
            outer, self.done, self.done_parts = (self.done, self.done_parts), {}, {}
            plies = self.longest(own, other, turn)
            self.done, self.done_parts = outer
            self.done_parts[own, other] = plies
            self.parts += 1
        return self.done_parts[own, other]

    def longest(self, own, other, turn):
        """The plies of the longest game from here; `own` is to move."""
        winners, losers = (own, other) if turn == self.winner else (other, own)
        if not winners:
            raise Refused(f"{WORDS[1 - self.winner]} wins this game")
        if not losers or (turn == self.winner and (own, other) in self.done):
            return self.done.get((own, other), 0)
        moves, plies, walk = self.rules.legal(own, other), 0, self.longest
        if turn == self.winner:
            moves, begins = self.choose(moves)
            walk = self.part if begins else walk
        while moves:
            self.line.append(moves & -moves)
            self.played += 1
            plies = max(plies, 1 + walk(*self.rules.play(own, other, moves & -moves), 1 - turn))
            moves &= moves - 1
            self.line.pop()
        if turn == self.winner:
            self.done[own, other] = plies
        return plies


def verify(file):
    """Prints what the certificate proves, or the first position that refutes it."""
    has_parts = file.line("tanada certificate ([12])") == "2"
    file.line("game: tanbo")
    turn = WORDS.index(file.line("to move: (black|white)"))
    rows = [file.line(r"[.XO](?: [.XO]){3,20}")]
    rows += [file.line(rf"[.XO](?: [.XO]){{{len(rows[0]) // 2}}}") for _ in range(len(rows[0]) // 2)]
    winner = WORDS.index(file.line("claim: (black|white) wins"))
    names = ("positions", "parts", "plies") if has_parts else ("positions", "plies")
    claimed, *parts, longest = (int(file.line(rf"{name}: (0|[1-9]\d{{0,17}})")) for name in names)
    file.line("moves: zlib")
    text = "".join(row.replace(" ", "") + "." for row in reversed(rows))
    own, other = (sum(1 << n for n, point in enumerate(text) if point == "XO"[c]) for c in (turn, 1 - turn))
    rules, moves = Rules(len(rows)), file.moves()
    diagram, walk = rules.diagram(own, other, turn), Walk(rules, winner, claimed, moves, has_parts)
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
    if has_parts and parts != [walk.parts]:
        raise Refused(f"the strategy has {walk.parts} parts, not {parts[0]}")
    print(f"{WORDS[winner].capitalize()} wins: proven for all play from this position\n\n{diagram}")
    print(f"positions checked    {walk.positions}" + f"\nparts                {walk.parts}" * has_parts)
    print(f"moves checked        {walk.played}\nlongest game, plies  {plies}")


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]) or len(sys.argv) != 2:
        print(__doc__, file=sys.stdout if len(sys.argv) == 2 else sys.stderr)
        sys.exit(0 if len(sys.argv) == 2 else 2)
    sys.setrecursionlimit(100_000)
    try:
        with open(sys.argv[1], "rb") as opened:
            verify(File(opened))
    except (Refused, OSError) as error:
        status, said = (1, "proves nothing") if isinstance(error, Refused) else (2, "cannot be read")
        print(f"verify_certificate.py: `{sys.argv[1]}` {said}: {error}", file=sys.stderr)
        sys.exit(status)
