"""One game and its engine, over the Go Text Protocol."""

import contextlib
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping, Sequence
from types import TracebackType
from typing import Any, overload

from . import program as programs
from .errors import CommandError, EngineDied, GameOver, IllegalMove, StartError
from .process import Process
from .program import Parameter, Value, find, text_of
from .search import COLOURS, Search, parse_search

#: Seconds that an answer may take, besides the time of a search.
TIMEOUT = 60.0
#: Seconds that a search without a time limit may take.
SEARCH_TIMEOUT = 3600.0
#: The most steps of a turn of Taratibu; a time per move holds for each.
STEPS = 10
#: Commands that set a clock.
CLOCKS = ("time_settings", "kata-time_settings", "time_left")
#: Commands that go on until something else is sent.
ENDLESS = ("lz-analyze", "kata-analyze")


def is_word(text: str) -> bool:
    """Whether the engine reads a text as one word. It ignores words that a command does not need."""
    return text.isprintable() and "#" not in text and text.split() == [text]


def is_move(text: str) -> bool:
    """Whether a text can be a move. The engine also reads words for no move, which clients with other rules send."""
    return is_word(text) and "," not in text and text.lower() not in ("pass", "null")


class Engine:
    """An engine with a game of its own. Use it in a ``with`` statement, so that it ends with the block.

    ``size``, ``setup``, ``players`` and ``game`` name the start, as the options of the program do. Any other keyword
    is a parameter with the name and the range that `tanada.parameters` shows. ``timeout`` is the number of seconds
    that an answer may take, besides the time of a search; then the engine is killed. ``program`` replaces the program
    that `tanada.find_program` finds, and ``folder`` is the one in which it runs.

    >>> with Engine(size=9, iterations=50, threads=1, seed=1) as engine:
    ...     engine.play("C2")
    ...     move = engine.genmove()
    ...     engine.undo()
    ...     move in engine.legal_moves()
    True

    Moves are text: in Tanbo a point such as ``"C2"``, in Taratibu steps such as ``"4765-6564"``. Colours are
    ``"black"``, ``"white"``, ``"red"`` and ``"green"``.

    One thread at a time may use it. An error of the kind `CommandError` leaves everything as it was; after
    `EngineDied` or an interrupt the engine is gone.
    """

    def __init__(
        self,
        *,
        size: int | None = None,
        setup: str | None = None,
        players: int | None = None,
        game: str | None = None,
        timeout: float = TIMEOUT,
        program: str | None = None,
        folder: str | None = None,
        **parameters: Value,
    ) -> None:
        self._program = program or find()
        self._has_clock = False
        self._timeout = timeout
        self._lock = threading.RLock()
        self._to_move: str | None = None
        # Stands for the analysis that is under way.
        self._analysis: object | None = None
        options = {"--size": size, "--setup": setup, "--players": players, "--game": game}
        command = [self._program, "gtp", *programs.arguments(options, parameters)]
        self._process = Process(command, folder)
        try:
            self.send("protocol_version")
        except EngineDied as error:
            # It refuses its arguments.
            raise StartError(str(error)) from None

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the engine; it may be called twice, and from any thread."""
        self._process.close()

    @property
    def pid(self) -> int:
        """The number of the engine's process."""
        return self._process.pid

    def send(self, command: str, timeout: float | None = None) -> str:
        """Sends one command of the protocol. Returns the text of the answer.

        Raises `CommandError` with the engine's sentence if it refuses.

        >>> with Engine(size=9) as engine:
        ...     engine.send("name")
        'Tanada'
        """
        return self.send_all([command], timeout)[0]

    def send_all(self, commands: Sequence[str], timeout: float | None = None) -> list[str]:
        """Sends several commands at once, which is faster than one after another. Returns their answers.

        Raises `CommandError` for the first one that the engine refuses; the others are executed all the same.
        """
        for command in commands:
            words = command.partition("#")[0].split()
            if not words or not command.isprintable() or words[0].isdigit() or words[0] in ENDLESS:
                raise ValueError(
                    f"`{command}` is not one command with one answer: expected a line without an id, not a comment, "
                    "and `analyse` for what goes on until something else is sent"
                )
            self._has_clock |= words[0] in CLOCKS
        seconds = self._timeout if timeout is None else timeout
        with self._lock:
            self._end_analysis()
            self._to_move = None
            with self._exchange(seconds):
                self._process.write("".join(command + "\n" for command in commands).encode())
                answers = [self._answer() for _ in commands]
        for command, (is_success, text) in zip(commands, answers, strict=True):
            if not is_success:
                raise CommandError(text, command)
        return [text for _, text in answers]

    @contextlib.contextmanager
    def _exchange(self, seconds: float | None) -> Iterator[None]:
        """Whatever happens meanwhile: what is said and what is heard stay in step, or the engine is gone."""
        self._process.deadline = None if seconds is None else time.monotonic() + seconds
        try:
            yield
        except BaseException:
            self._process.kill()
            raise
        finally:
            self._process.deadline = None

    def _answer(self) -> tuple[bool, str]:
        first = self._process.readline()
        lines = [first[2:]]
        while (line := self._process.readline()) != b"\n":
            lines.append(line)
        return first.startswith(b"="), b"".join(lines).decode().rstrip("\n")

    @property
    def to_move(self) -> str:
        """The colour of the side to move; the winner of a finished game."""
        if self._to_move is None:
            self._to_move = self.send("gogui-rules_side_to_move")
        return self._to_move

    def play(self, move: str, color: str | None = None) -> None:
        """Plays a move of the side to move; ``color`` is only checked.

        Raises `IllegalMove`.
        """
        color = color or self.to_move
        command = f"play {color} {move}"
        if not (is_word(color) and is_move(move)):
            raise IllegalMove(move, command)
        try:
            answers = self.send_all([command, "gogui-rules_side_to_move"])
        except CommandError:
            raise IllegalMove(move, command) from None
        self._to_move = answers[1]

    def undo(self, moves: int = 1) -> None:
        """Takes back the last moves; in Taratibu each step is one.

        Raises `CommandError` if there are fewer.
        """
        answers = self.send_all([f"gg-undo {moves}", "gogui-rules_side_to_move"])
        self._to_move = answers[1]

    def genmove(self, timeout: float | None = None) -> str:
        """Finds a move, plays it and returns it; ``"resign"`` if the parameter ``resign`` says so, which plays nothing.

        ``timeout`` is in seconds; without it a search has its own time limit and ``timeout`` of the engine, or an hour
        if a clock or only iterations limit it. Raises `GameOver` if there is no move.
        """
        return self._find("genmove", timeout)

    def best_move(self, timeout: float | None = None) -> str:
        """Finds the move that `genmove` would play, and plays nothing; never ``"resign"``."""
        return self._find("kata-search_cancellable", timeout)

    def _find(self, command: str, timeout: float | None) -> str:
        if self.is_over():
            raise GameOver("the game is over")
        seconds = self._search_seconds() if timeout is None else timeout
        return self.send(f"{command} {self.to_move}", seconds)

    def _search_seconds(self) -> float:
        questions = ["tanada-param time_per_move", "tanada-param iterations", "gogui-rules_game_id"]
        time_per_move, iterations, game = self.send_all(questions)
        if self._has_clock or (time_per_move == "none" and iterations != "none"):
            return self._timeout + SEARCH_TIMEOUT
        seconds = 1.0 if time_per_move == "none" else float(time_per_move)
        return self._timeout + seconds * (1 if game == "Tanbo" else STEPS)

    def legal_moves(self) -> list[str]:
        """The legal moves, in Taratibu those of one step; empty if the game is over."""
        known = self.send("known_command gogui-rules_legal_moves") == "true"
        return self.send("gogui-rules_legal_moves" if known else "tanada-legal_steps").split()

    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.outcome() is not None

    def outcome(self) -> str | None:
        """The colour of the winner, or ``"draw"``; ``None`` while the game runs."""
        try:
            score = self.send("final_score")
        except CommandError:
            return None
        return "draw" if score == "0" else COLOURS[score[0]]

    def new_game(self) -> None:
        """Begins a new game from the same start."""
        self.send("clear_board")

    def show(self) -> str:
        """The board as text, for a person."""
        return self.send("showboard").lstrip("\n")

    @property
    def parameters(self) -> "Parameters":
        """The parameters, as a mapping that can be changed.

        >>> with Engine(size=9, iterations=100) as engine:
        ...     engine.parameters["iterations"] *= 2
        ...     engine.parameters["iterations"]
        200
        """
        return Parameters(self, programs.parameters(self._program))

    @overload
    def analyse(
        self,
        *,
        interval: float = ...,
        seconds: float | None = ...,
        visits: int | None = ...,
        allow: Sequence[str] = ...,
        avoid: Sequence[str] = ...,
        callback: None = ...,
    ) -> Iterator[Search]: ...

    @overload
    def analyse(
        self,
        *,
        interval: float = ...,
        seconds: float | None = ...,
        visits: int | None = ...,
        allow: Sequence[str] = ...,
        avoid: Sequence[str] = ...,
        callback: Callable[[Search], object],
    ) -> Search | None: ...

    def analyse(
        self,
        *,
        interval: float = 0.1,
        seconds: float | None = None,
        visits: int | None = None,
        allow: Sequence[str] = (),
        avoid: Sequence[str] = (),
        callback: Callable[[Search], object] | None = None,
    ) -> Iterator[Search] | Search | None:
        """Searches without playing, and tells what it finds every ``interval`` seconds (at least 0.01).

        Without ``callback`` this is an iterator; it ends once the result is proven, after ``seconds`` or ``visits`` if
        they are given, when the loop is left, or when anything else is asked. With ``callback`` it is called with each
        `Search` until it returns ``False``, or the iterator would end; the last `Search` is returned, ``None`` if there
        was none.

        Only the moves of ``allow``, if there are any, and none of ``avoid`` are considered. In a finished game there
        is nothing to find: the iterator is empty.

        >>> with Engine(size=9, threads=1, seed=1) as engine:
        ...     for search in engine.analyse(visits=10):
        ...         best = search.moves[0]
        >>> best.pv[0] == best.move
        True
        """
        found = self._analyse(interval, seconds, visits, allow, avoid)
        if callback is None:
            return found
        last = None
        with contextlib.closing(found):
            for last in found:
                if callback(last) is False:
                    break
        return last

    def _analyse(
        self,
        interval: float,
        seconds: float | None,
        visits: int | None,
        allow: Sequence[str],
        avoid: Sequence[str],
    ) -> Generator[Search, None, None]:
        if self.is_over():
            return
        color = self.to_move
        hundredths = max(1, round(100 * (interval if seconds is None else min(interval, seconds))))
        words = ["kata-analyze", color, str(hundredths), "rootInfo true"]
        for key, moves in (("allow", allow), ("avoid", avoid)):
            if moves:
                words.append(f"{key} {color} {','.join(moves)} 1")
        command = " ".join(words)
        for move in (*allow, *avoid):
            if not is_move(move):
                raise IllegalMove(move, command)
        until = None if seconds is None else time.monotonic() + seconds
        running = object()
        with self._lock:
            self._end_analysis()
            self._begin_analysis(command)
            self._analysis = running
        try:
            while True:
                with self._lock:
                    if self._analysis is not running:
                        # Something else was asked.
                        return
                    with self._exchange(self._timeout + hundredths / 100):
                        line = self._process.readline().decode().rstrip()
                found = parse_search(line)
                yield found
                if found.moves and found.moves[0].proof is not None:
                    return
                if visits is not None and found.visits >= visits:
                    return
                if until is not None and time.monotonic() >= until:
                    return
        finally:
            with self._lock:
                if self._analysis is running and self._process.is_running:
                    self._end_analysis()

    def _begin_analysis(self, command: str) -> None:
        with self._exchange(self._timeout):
            self._process.write(f"{command}\n".encode())
            first = self._process.readline()
            if first.startswith(b"?"):
                self._process.readline()
        if first.startswith(b"?"):
            raise CommandError(first[2:].decode().rstrip(), command)

    def _end_analysis(self) -> None:
        """Ends the analysis that is under way, if there is one."""
        if self._analysis is None:
            return
        self._analysis = None
        with self._exchange(self._timeout):
            self._process.write(b"\n")
            while self._process.readline() != b"\n":
                pass


class Parameters(MutableMapping[str, Any]):
    """The parameters of an engine. They take effect from the next search on."""

    def __init__(self, engine: Engine, table: Mapping[str, Parameter]) -> None:
        self._engine = engine
        self._table = table

    def __getitem__(self, name: str) -> Any:
        parameter = self._table[name]
        return parameter.parse(self._engine.send(f"tanada-param {name}"))

    def __setitem__(self, name: str, value: Value) -> None:
        self._set(name, text_of(value))

    def _set(self, name: str, text: str) -> None:
        command = f"tanada-param {name} {text}"
        if not (is_word(name) and is_word(text)):
            raise CommandError(f"invalid value `{text}` for `{name}`: expected one word", command)
        self._engine.send(command)

    def __delitem__(self, name: str) -> None:
        """Sets the parameter to its default."""
        self[name] = self._table[name].default

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def set_preset(self, name: str) -> None:
        """Sets all parameters in which the presets differ."""
        self._set("preset", name)

