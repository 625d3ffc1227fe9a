"""The rules, asked of an engine that nobody sees."""

import functools
import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .engine import Engine, is_move, is_word
from .errors import CommandError, EngineDied, IllegalMove, TanadaError

#: A colour and its move; ``"leave"`` for a player who leaves the game.
Move = tuple[str, str]


class Referee:
    """An engine that is brought to one position after another. Any thread may ask it."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._folder = tempfile.TemporaryDirectory(prefix="tanada-")
        self._engine = self._begin()
        self._lock = threading.Lock()
        # Where it is: a start in a line, and the moves since; ``None`` if that is not known.
        self._start: str | None = None
        self._moves: list[Move] = []

    def _begin(self) -> Engine:
        # Names of files have no spaces there.
        return Engine(game=self._game, threads=1, memory=1, folder=self._folder.name)

    def state(self, start: str, moves: Sequence[Move]) -> Mapping[str, Any]:
        """What `tanada-state` says after these moves.

        Raises `IllegalMove` for the first illegal move, and `TanadaError` for a start that is none.
        """
        with self._lock:
            return self._states(lambda: [*self._way(start, moves), "tanada-state"])

    def record(self, start: str, moves: Sequence[Move]) -> str:
        """The game as a record: SGF in Tanbo."""
        with self._lock:
            # From the start, because a game that was loaded keeps the names and comments of its file.
            self._start = None
            text = self._ask(lambda: [*self._way(start, moves), "tanada-print_record"])
            self._arrive(start, moves)
            return text + "\n"

    def load(self, record: str) -> Mapping[str, Any]:
        """What `tanada-state` says at the end of a record."""
        try:
            # The mark says that SGF is in UTF-8, whatever its own property says.
            content = record.encode("utf-8-sig" if record.lstrip().startswith("(") else "utf-8")
        except UnicodeEncodeError as error:
            raise TanadaError(f"a record cannot have the character {record[error.start]!r}") from None
        with self._lock:
            Path(self._folder.name, "record").write_bytes(content)
            return self._states(lambda: ["tanada-load_record record", "tanada-state"])

    def _states(self, commands: Callable[[], Sequence[str]]) -> Mapping[str, Any]:
        found: dict[str, Any] = json.loads(self._ask(commands))
        self._arrive(found["start"], [(color, move) for color, move in found["moves"]])
        return found

    def _ask(self, commands: Callable[[], Sequence[str]]) -> str:
        """The answer to the last command. The commands are made anew for a new engine if the old one has died."""
        try:
            return self._send(commands())
        except EngineDied:
            self._engine.close()
            self._engine = self._begin()
            return self._send(commands())

    def _send(self, commands: Sequence[str]) -> str:
        # If this fails, nobody knows where it is.
        self._start = None
        try:
            return self._engine.send_all(commands)[-1]
        except CommandError as error:
            if error.command.startswith("play "):
                raise IllegalMove(error.command.split(" ", 2)[-1], error.command) from None
            if error.command.startswith("tanada-leave "):
                raise IllegalMove("leave", error.command) from None
            raise TanadaError(str(error)) from None

    def _arrive(self, start: str, moves: Sequence[Move]) -> None:
        self._start, self._moves = start, list(moves)

    def _way(self, start: str, moves: Sequence[Move]) -> list[str]:
        """The commands that lead there."""
        commands = []
        if start == self._start:
            same = len(os.path.commonprefix([self._moves, list(moves)]))
            if same < len(self._moves):
                commands.append(f"gg-undo {len(self._moves) - same}")
        else:
            same = 0
            commands.append(f"tanada-position {start}")
        for color, move in moves[same:]:
            if not (is_word(color) and is_move(move)):
                raise IllegalMove(move, f"play {color} {move}")
            commands.append(f"tanada-leave {color}" if move == "leave" else f"play {color} {move}")
        return commands


@functools.cache
def _referee_of(game: str, process: int) -> Referee:
    # A child of this process must not use its parent's pipes.
    assert process == os.getpid()
    return Referee(game)


def referee(game: str) -> Referee:
    """The referee of a game in this process."""
    return _referee_of(game, os.getpid())


def start_of(size: int | None, setup: str | None, players: int | None, game: str) -> str:
    """A start that the options of the program name, in a line."""
    if setup is not None and os.path.exists(setup):
        # The file may change.
        return _start_of.__wrapped__(size, setup, players, game)
    return _start_of(size, setup, players, game)


@functools.cache
def _start_of(size: int | None, setup: str | None, players: int | None, game: str) -> str:
    with Engine(size=size, setup=setup, players=players, game=game, threads=1, memory=1) as engine:
        found: str = json.loads(engine.send("tanada-state"))["start"]
        return found
