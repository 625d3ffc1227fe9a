"""A small model of the rules of Taratibu (Glenn Overby II, 2005), to check the engine.

It shares nothing with the engine: pieces are a dictionary from (file, rank), counted from 1 at the lower left, to a
letter, White's in capitals. A piece moves as its two orders do, and every question is answered by a search through all
pieces.
"""

SIZE = 7
LAST_TURN = 10
START = ["dmfabes", "htc....", ".......", ".......", ".......", "....CTH", "SEBAFMD"]

# One direction of each kind of move; the others are its turns and reflections. The moves of two squares leap, so no
# piece is ever in the way.
MOVES = {"human": (0, 1), "basic": (1, 1), "aquatic": (0, 2), "winged": (2, 2), "quadruped": (1, 2)}

ORDERS = {
    "S": ("winged", "quadruped"),
    "E": ("basic", "quadruped"),
    "B": ("winged", "basic"),
    "A": ("winged", "human"),
    "F": ("aquatic", "basic"),
    "M": ("human", "basic"),
    "D": ("winged", "aquatic"),
    "C": ("human", "aquatic"),
    "T": ("aquatic", "quadruped"),
    "H": ("human", "quadruped"),
}

# Whoever has lost the Man and all pieces of one of these orders has lost the game.
FATAL = ("aquatic", "quadruped", "winged")


def directions(order):
    """The offsets of all moves of an order."""
    a, b = MOVES[order]
    return {(x * i, y * j) for x, y in ((a, b), (b, a)) for i in (1, -1) for j in (1, -1)}


def on_board(square):
    return all(1 <= number <= SIZE for number in square)


def colour(piece):
    return "white" if piece.isupper() else "black"


def write(origin, target):
    """The four digits of a step."""
    return "".join(str(number) for number in (*origin, *target))


def read(step):
    """The two squares of a step."""
    a, b, c, d = (int(digit) for digit in step)
    return (a, b), (c, d)


class Model:
    """A game of Taratibu."""

    def __init__(self):
        ranks = enumerate(reversed(START), 1)
        self.pieces = {(x, y): piece for y, row in ranks for x, piece in enumerate(row, 1) if piece != "."}
        self.turn, self.result = 0, None
        self.begin_turn()

    def begin_turn(self):
        """Passes the turn on: turn 1 is White's and has one step, turn 2 Black's with two, and so on."""
        if self.turn == LAST_TURN:
            self.result = "draw"
            return
        self.turn += 1
        self.to_move = "white" if self.turn % 2 else "black"
        self.left = self.turn
        # A piece that captured stays where it is until the turn ends, so that its square is enough to know it.
        self.captors = set()

    def steps_of(self, origin):
        """The squares that a piece may step to."""
        x, y = origin
        offsets = {offset for order in ORDERS[self.pieces[origin].upper()] for offset in directions(order)}
        targets = [(x + i, y + j) for i, j in offsets]
        return [t for t in targets if on_board(t) and (t not in self.pieces or colour(self.pieces[t]) != self.to_move)]

    def legal(self):
        """The legal steps of the side to move, none in a finished game."""
        if self.result:
            return set()
        free = [square for square, p in self.pieces.items() if colour(p) == self.to_move and square not in self.captors]
        return {write(origin, target) for origin in free for target in self.steps_of(origin)}

    def play(self, step):
        """Plays a legal step of the side to move; the turn passes on where no step is left."""
        if step not in self.legal():
            raise ValueError(f"illegal step {step}")
        origin, target = read(step)
        if target in self.pieces:
            self.captors.add(target)
        self.pieces[target] = self.pieces.pop(origin)
        self.left -= 1
        if self.beaten("black" if self.to_move == "white" else "white"):
            self.result = self.to_move
        # Who has no step at the start of a turn passes it too, perhaps several turns in a row.
        while self.result is None and (self.left == 0 or not self.legal()):
            self.begin_turn()

    def beaten(self, side):
        """Whether a side has lost its Man and every piece of a fatal order."""
        own = [piece.upper() for piece in self.pieces.values() if colour(piece) == side]
        extinct = any(all(order not in ORDERS[piece] for piece in own) for order in FATAL)
        return extinct and "M" not in own

    def board(self):
        """The rows from the top, White's pieces in capitals."""
        files = range(1, SIZE + 1)
        return ["".join(self.pieces.get((x, y), ".") for x in files) for y in reversed(files)]

    def outcome(self):
        """None while the game runs, then the winner or `draw`."""
        return self.result
