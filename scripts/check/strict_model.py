"""A small model of Tanbo's rules and of a GTP session, for scripts/check/strict_client.py.

It shares nothing with the engine: stones are a dictionary from (column, row), counted from 0 at the lower left, to
the letter of a colour, and every question is answered by a search through all of them.
"""

COLUMNS = "ABCDEFGHJKLMNOPQRSTUV"
COLOURS = {"b": "black", "w": "white", "r": "red", "g": "green"}


def start(size):
    """The stones of the initial position."""
    if size == 9:
        return {(1, 1): "b", (7, 7): "b", (1, 7): "w", (7, 1): "w"}
    step, first, second = (2, "w", "b") if size == 7 else (size - 1, "b", "w")
    places = range(0, size, step)
    return {(x, y): first if (x // step + y // step) % 2 == 0 else second for x in places for y in places}


def name(point):
    return f"{COLUMNS[point[0]]}{point[1] + 1}"


class Board:
    """Stones and a side to move."""

    def __init__(self, size, stones, to_move="b"):
        self.size, self.stones, self.to_move = size, dict(stones), to_move
        self.lost = dict.fromkeys(COLOURS, 0)

    def copy(self):
        other = Board(self.size, self.stones, self.to_move)
        other.lost = dict(self.lost)
        return other

    def beside(self, point):
        x, y = point
        near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return [(a, b) for a, b in near if 0 <= a < self.size and 0 <= b < self.size]

    def own_beside(self, point, colour):
        return [q for q in self.beside(point) if self.stones.get(q) == colour]

    def root(self, point):
        found, colour = [point], self.stones[point]
        for p in found:
            found += [q for q in self.own_beside(p, colour) if q not in found]
        return frozenset(found)

    def roots(self):
        return {self.root(point) for point in self.stones}

    def may_grow(self, point, colour):
        return point not in self.stones and len(self.own_beside(point, colour)) == 1

    def space(self, root):
        colour = self.stones[next(iter(root))]
        return {q for p in root for q in self.beside(p) if self.may_grow(q, colour)}

    def alive(self):
        return [colour for colour in COLOURS if colour in self.stones.values()]

    def winner(self):
        alive = self.alive()
        return alive[0] if len(alive) == 1 else None

    def legal(self, colour):
        if self.winner():
            return set()
        points = ((x, y) for y in range(self.size) for x in range(self.size))
        return {point for point in points if self.may_grow(point, colour)}

    def remove(self, points):
        for point in points:
            self.lost[self.stones.pop(point)] += 1

    def next_side(self, mover):
        order = list(COLOURS)
        at = order.index(mover)
        alive = self.alive()
        self.to_move = next(c for c in order[at + 1 :] + order[: at + 1] if c in alive)

    def play(self, point):
        """Plays a legal move of the side to move; returns the removed points."""
        mover = self.to_move
        self.stones[point] = mover
        own = self.root(point)
        doomed = [own] if not self.space(own) else [root for root in self.roots() if not self.space(root)]
        gone = set().union(*doomed)
        self.remove(gone)
        self.next_side(mover)
        return gone

    def leave(self, colour):
        """Removes a colour from the board; returns the removed points."""
        gone = {point for point, other in self.stones.items() if other == colour}
        self.remove(gone)
        if self.to_move == colour:
            self.next_side(colour)
        return gone

    def can_start(self):
        """Whether a game can start from this position."""
        touching = lambda root: sum(len(self.own_beside(p, self.stones[p])) for p in root) // 2
        sound = all(touching(root) + 1 == len(root) and self.space(root) for root in self.roots())
        return sound and len(self.alive()) >= 2 and self.to_move in self.alive()

    def rows(self):
        letters = {"b": "X", "w": "O", "r": "R", "g": "G"}
        row = lambda y: " ".join(letters.get(self.stones.get((x, y)), ".") for x in range(self.size))
        return [row(y) for y in reversed(range(self.size))]

    def show(self):
        head = "   " + " ".join(COLUMNS[: self.size])
        rows = [f"{self.size - i:2} {row} {self.size - i}" for i, row in enumerate(self.rows())]
        return "\n".join(["", head, *rows, head])

    def vertex(self, word):
        """The point with this name, or None."""
        column, digits = COLUMNS.find(word[:1].upper()), word[1:]
        right = word[:1].isascii() and digits.isascii() and digits.isdigit() and not digits.startswith("0")
        if column < 0 or not word or not right or len(digits) > 2:
            return None
        point = (column, int(digits) - 1)
        return point if max(point) < self.size else None


class Game:
    """A board with its history for undo."""

    def __init__(self, size):
        self.configured, self.echo = size, False
        self.begin(Board(size, start(size)))

    def begin(self, board):
        self.board, self.history = board, []

    def copy(self):
        other = Game(self.configured)
        other.board, other.history, other.echo = self.board.copy(), list(self.history), self.echo
        return other

    def events(self):
        return [entry for entry in self.history if entry is not None]

    def note(self, entry):
        """Adds an entry to the history: None if nothing changed, else the board before and the removed points."""
        self.history.append(entry)

    def play(self, colour, move):
        """Plays a vertex, `pass` or `null` if it is legal."""
        board = self.board
        if move == "null" or (move == "pass" and board.winner()):
            self.note(None)
        elif move == "pass":
            return False
        elif self.echo and not self.events() and board.stones.get(move) == colour:
            self.note(None)
        elif board.winner() or board.to_move != colour or not board.may_grow(move, colour):
            return False
        else:
            before = board.copy()
            self.note((before, board.play(move)))
        return True

    def leave(self, colour):
        if self.board.winner() or colour not in self.board.alive():
            return False
        before = self.board.copy()
        self.note((before, self.board.leave(colour)))
        return True

    def undo(self, number):
        if number > len(self.history):
            return False
        for _ in range(number):
            entry = self.history.pop()
            if entry is not None:
                self.board = entry[0].copy()
        return True
