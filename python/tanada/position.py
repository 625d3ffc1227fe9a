"""Positions that know the rules."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from . import referee as referees
from .analysis import Query
from .errors import TanadaError
from .referee import Move
from .program import Value

if TYPE_CHECKING:
    import numpy

#: Columns of a board, from the left.
COLUMNS = "ABCDEFGHJKLMNOPQRSTUV"
#: Stones in rows of a board.
SYMBOLS = {"X": "black", "O": "white", "R": "red", "G": "green"}


class Position:
    """A position with the game that led to it. It never changes: playing gives another position.

    ``size``, ``setup``, ``players`` and ``game`` name a start as for `tanada.Engine`. The rules are those of the
    engine, which runs in the background; all positions of a game share one.

    >>> start = Position(size=9)
    >>> position = start.play("C2")
    >>> position.to_move, position.stones["C2"], len(start.legal_moves)
    ('white', 'black', 8)

    Two positions are equal if the same game is at the same position with the same side to move, however it came there.
    """

    __slots__ = ("_game", "_start", "_state", "_stones")

    def __init__(
        self,
        *,
        size: int | None = None,
        setup: str | None = None,
        players: int | None = None,
        game: str = "tanbo",
    ) -> None:
        start = referees.start_of(size, setup, players, game)
        self._begin(referees.referee(game).state(start, ()))

    def _begin(self, state: Mapping[str, Any]) -> None:
        self._state = state
        self._game: str = state["game"]
        self._start: str = state["start"]
        self._stones: Mapping[str, str] | None = None

    @classmethod
    def _of(cls, state: Mapping[str, Any]) -> "Position":
        made = cls.__new__(cls)
        made._begin(state)
        return made

    @classmethod
    def from_text(cls, text: str, game: str = "tanbo") -> "Position":
        """A position as text: in Tanbo a diagram or a line.

        Raises `TanadaError` with the engine's sentence if it is none.

        >>> Position.from_text("5 w X3O/5/5/5/O3X").to_move
        'white'
        """
        line = "/".join(text.strip("\n").splitlines())
        if not line.isprintable():
            raise TanadaError("the text of a position has characters that cannot be printed")
        if game == "tanbo":
            # Another sign for a black stone; in the protocol it begins a comment.
            line = line.replace("#", "X")
        return cls._of(referees.referee(game).state(line, ()))

    @classmethod
    def from_record(cls, text: str, game: str = "tanbo") -> "Position":
        """The position at the end of a game record: SGF, or a record of Abstract Play; in Taratibu plain text.

        Raises `TanadaError` if it cannot be read.
        """
        return cls._of(referees.referee(game).load(text))

    @property
    def game(self) -> str:
        """``"tanbo"`` or ``"taratibu"``."""
        return self._game

    @property
    def size(self) -> int:
        """Points of a row."""
        return int(self._state["size"])

    @property
    def players(self) -> tuple[str, ...]:
        """The colours in the order of play, including those who are out."""
        return tuple(self._state["players"])

    @property
    def to_move(self) -> str:
        """The side to move; the winner of a finished game."""
        return str(self._state["to_move"])

    @property
    def outcome(self) -> str | None:
        """The colour of the winner, or ``"draw"``; ``None`` while the game runs."""
        found: str | None = self._state["outcome"]
        return found

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.outcome is not None

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The legal moves, in Taratibu those of one step."""
        return tuple(self._state["legal"])

    @property
    def moves(self) -> tuple[Move, ...]:
        """The colours and moves since the start."""
        return tuple((color, move) for color, move in self._state["moves"])

    @property
    def board(self) -> tuple[str, ...]:
        """The rows from the top, a character for each point: ``.`` is empty, in Tanbo ``X`` is black, ``O`` white, ``R``
        red, ``G`` green; in Taratibu letters stand for pieces, capitals for White's."""
        return tuple(row.replace(" ", "") for row in self._state["board"])

    @property
    def stones(self) -> Mapping[str, str]:
        """The colour of each stone, by its point; only in Tanbo."""
        self._needs_stones()
        if self._stones is None:
            size = self.size
            found = {
                f"{COLUMNS[column]}{size - row}": SYMBOLS[symbol]
                for row, line in enumerate(self.board)
                for column, symbol in enumerate(line)
                if symbol in SYMBOLS
            }
            self._stones = MappingProxyType(found)
        return self._stones

    @property
    def emptied(self) -> tuple[str, ...]:
        """The points that the last move emptied, its own among them if that stone went, too."""
        return tuple(self._state.get("emptied", ()))

    @property
    def hash(self) -> str:
        """16 hexadecimal digits, equal for equal positions."""
        return str(self._state["hash"])

    @property
    def symmetric_hash(self) -> str | None:
        """The same for positions that are turned or mirrored images; ``None`` in Taratibu."""
        found: str | None = self._state.get("symmetric_hash")
        return found

    @property
    def start(self) -> "Position":
        """The position where the game began."""
        return self._of(referees.referee(self._game).state(self._start, ()))

    @property
    def parent(self) -> "Position | None":
        """The position before the last move; ``None`` at the start."""
        moves = self.moves
        if not moves:
            return None
        return self._of(referees.referee(self._game).state(self._start, moves[:-1]))

    def play(self, move: str, color: str | None = None) -> "Position":
        """The position after a move of the side to move; ``color`` is only checked. ``"leave"`` takes a player out.

        Raises `IllegalMove`.
        """
        moves = [*self.moves, (color or self.to_move, move)]
        return self._of(referees.referee(self._game).state(self._start, moves))

    def play_all(self, moves: Iterable[str]) -> "Position":
        """The position after several moves, each of the side whose turn it is.

        Raises `IllegalMove`.
        """
        position = self
        for move in moves:
            position = position.play(move)
        return position

    def to_text(self) -> str:
        """The position in the form that `from_text` reads; in Tanbo a diagram."""
        return str(self._state["position"]).replace("/", "\n") + "\n"

    def to_record(self) -> str:
        """The game in the form that `from_record` reads: SGF in Tanbo."""
        return referees.referee(self._game).record(self._start, self.moves)

    def query(
        self,
        *,
        visits: int | None = None,
        allow: Iterable[str] = (),
        avoid: Iterable[str] = (),
        priority: int = 0,
        **parameters: Value,
    ) -> Query:
        """A query for `tanada.Analysis` about this position."""
        # Whoever leaves the game resigns there. That may be before the first move, which else says who begins.
        moves = [(color, "resign" if move == "leave" else move) for color, move in self.moves]
        has_left = moves[:1] != list(self.moves[:1])
        fields = {"initialPlayer": self.start.to_move} if has_left else {}
        return Query(
            game=self._game, position=self._start, moves=moves, visits=visits, allow=tuple(allow),
            avoid=tuple(avoid), to_move=self.to_move, priority=priority, parameters=parameters, fields=fields,
        )

    def stone_array(self) -> "numpy.ndarray[Any, numpy.dtype[numpy.int8]]":
        """The stones as numbers, by row from the top and column from the left: 0 for none, else the place of their
        colour in `players`, from 1. Needs NumPy and a game of stones."""
        self._needs_stones()
        import numpy

        numbers = {".": 0}
        numbers |= {symbol: self.players.index(color) + 1 for symbol, color in SYMBOLS.items() if color in self.players}
        return numpy.array([[numbers[symbol] for symbol in row] for row in self.board], numpy.int8)

    def legal_array(self) -> "numpy.ndarray[Any, numpy.dtype[numpy.bool_]]":
        """Where the side to move may play, by row from the top and column from the left. Needs NumPy and a game of
        stones."""
        self._needs_stones()
        import numpy

        legal = numpy.zeros((self.size, self.size), numpy.bool_)
        for move in self.legal_moves:
            legal[self.cell(move)] = True
        return legal

    def _needs_stones(self) -> None:
        if self._game != "tanbo":
            raise TanadaError(f"{self._game} is not a game of stones on points")

    def cell(self, point: str) -> tuple[int, int]:
        """The row from the top and the column from the left of a point, from 0."""
        column, row = COLUMNS.find(point[:1].upper()), point[1:]
        if not point or not 0 <= column < self.size or not row.isdecimal() or not 1 <= int(row) <= self.size:
            raise TanadaError(f"`{point}` is not a point of the {self.size}x{self.size} board")
        return self.size - int(row), column

    def point(self, row: int, column: int) -> str:
        """The point in a row from the top and a column from the left, from 0."""
        if not (0 <= row < self.size and 0 <= column < self.size):
            raise TanadaError(f"there is no row {row} or column {column} on the {self.size}x{self.size} board")
        return f"{COLUMNS[column]}{self.size - row}"

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Position of {self._game}, {self.size}x{self.size}, after {len(self.moves)} moves, {self.hash}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (self._game, self.size, self.hash) == (other._game, other.size, other.hash)

    def __hash__(self) -> int:
        return hash(self.hash)

    def __reduce__(self) -> "tuple[Any, ...]":
        return _again, (self._game, self._start, self.moves)


def _again(game: str, start: str, moves: "tuple[Move, ...]") -> Position:
    """A position that travelled to another process."""
    return Position._of(referees.referee(game).state(start, moves))
