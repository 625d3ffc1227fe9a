"""Many positions at once, over JSON."""

import asyncio
import contextlib
import itertools
import json
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeVar

from .errors import EngineDied, QueryError, StartError, TanadaError
from .process import Process
from .program import Value, arguments, find
from .search import COLOURS, MoveInfo

#: Seconds without any answer, while queries wait, after which the engine counts as hung.
TIMEOUT = 3600.0
#: Seconds that the engine has for its first answer.
START_TIMEOUT = 60.0
#: Queries that `Analysis.results` keeps in the engine.
WINDOW = 1024
#: The most bytes of a line that the engine reads.
MAX_LINE = 1 << 20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Query:
    """A position, or several of one game, and how to search them.

    The start is named as by the options of the program, or given as text in ``position``: a diagram, a line or a
    record. ``moves`` are pairs of colour and move from there on. ``turns`` are the positions to search: 0 is the
    start, N follows the Nth move; without it only the last one is searched.

    >>> Query(size=9, moves=[("black", "C2")], visits=20).turns is None
    True
    """

    moves: Sequence[tuple[str, str]] = ()
    size: int | None = None
    setup: str | None = None
    players: int | None = None
    game: str | None = None
    position: str | None = None
    turns: Sequence[int] | None = None
    #: Visits of the root, its own evaluation included; without it the limits of the `Analysis` hold.
    visits: int | None = None
    #: Only these first moves are searched, if there are any, and none of ``avoid``; they are moves of ``to_move``, who
    #: has to be named.
    allow: Sequence[str] = ()
    avoid: Sequence[str] = ()
    to_move: str | None = None
    #: Higher ones begin first.
    priority: int = 0
    #: Parameters of this query.
    parameters: Mapping[str, Value] = field(default_factory=dict)
    #: Any other fields of the protocol.
    fields: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The query as the engine reads it, without its id."""
        made: dict[str, Any] = {"moves": [list(move) for move in self.moves]}
        if self.size is not None:
            made["boardXSize"] = made["boardYSize"] = self.size
        named = {
            "setup": self.setup, "players": self.players, "game": self.game, "position": self.position,
            "maxVisits": self.visits, "analyzeTurns": None if self.turns is None else list(self.turns),
        }
        made |= {name: value for name, value in named.items() if value is not None}
        if self.priority:
            made["priority"] = self.priority
        if self.parameters:
            made["overrideSettings"] = {
                name: "none" if value is None else value for name, value in self.parameters.items()
            }
        for name, moves in (("allowMoves", self.allow), ("avoidMoves", self.avoid)):
            if moves:
                if self.to_move is None:
                    raise QueryError(f"`{name}` needs `to_move`, the side to move", name)
                made[name] = [{"player": self.to_move, "moves": list(moves), "untilDepth": 1}]
        return made | dict(self.fields)


@dataclass(frozen=True, slots=True)
class Result:
    """What a search found about one position."""

    #: The number of moves before it.
    turn: int
    #: The side to move; the winner of a finished game.
    to_move: str
    #: The best moves first; empty in a finished game.
    moves: tuple[MoveInfo, ...]
    visits: int
    #: The mean winning chance of the side to move over all visits, 0 to 1.
    value: float | None
    #: The winning chance of each colour.
    values: Mapping[str, float]
    #: The colour of the certain winner, or ``"draw"``, if that is known.
    proof: str | None
    #: Equal for equal positions; ``symmetric_hash`` also for turned and mirrored ones.
    hash: str
    symmetric_hash: str | None
    #: What the engine ignored in the query.
    warnings: tuple[str, ...]
    #: The whole answer.
    raw: Mapping[str, Any] = field(compare=False)


class Analysis:
    """An engine that searches many positions at once. Use it in a ``with`` or ``async with`` statement.

    ``concurrency`` positions are searched at the same time (by default one for each core), each by ``threads``.
    Other keywords are parameters, as for `tanada.Engine`. After ``timeout`` seconds without an answer while queries
    wait, the engine is killed.

    >>> with Analysis(seed=1) as analysis:
    ...     [result] = analysis.ask(Query(size=9, visits=20))
    >>> result.visits, result.to_move
    (20, 'black')

    All methods may be called from any thread, but functions that are called with answers must not wait for others. If
    the engine ends, everything that waits for it raises `EngineDied`.
    """

    def __init__(
        self,
        *,
        concurrency: int | None = None,
        threads: int = 1,
        memory: int | None = None,
        seed: int | None = None,
        timeout: float = TIMEOUT,
        program: str | None = None,
        **parameters: Value,
    ) -> None:
        options = {
            "--report-winrates-as": "SIDETOMOVE", "--analysis-threads": concurrency, "--threads": threads,
            "--memory": memory, "--seed": seed,
        }
        command = [program or find(), "analysis", "--quit-without-waiting", *arguments(options, parameters)]
        self._timeout = timeout
        self._ids = itertools.count()
        self._queue = _Queue()
        self._process = Process(command)
        self._writer = _Writer(self._process)
        # The thread must not keep this object alive.
        state = (self._process, self._queue, timeout)
        self._reader = threading.Thread(target=_read, args=state, name="tanada-analysis", daemon=True)
        self._reader.start()
        weakref.finalize(self, self._process.close)
        # Wrong arguments show at once.
        waiting = _Waiting(0, None)
        try:
            self._send({"action": "query_version"}, waiting)
            waiting.raw.result(START_TIMEOUT)
        except EngineDied as error:
            raise StartError(str(error)) from None
        except FutureTimeout:
            self._process.kill()
            raise StartError(f"the engine did not answer within {START_TIMEOUT:.0f} seconds") from None
        except BaseException:
            self._process.kill()
            raise

    def __enter__(self) -> "Analysis":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> "Analysis":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Ends the engine, its searches included; it may be called twice."""
        self._process.close()
        if threading.current_thread() is not self._reader:
            self._reader.join()

    @property
    def pid(self) -> int:
        """The number of the engine's process."""
        return self._process.pid

    def submit(
        self, query: Query | Mapping[str, Any], on_report: Callable[[Result], object] | None = None
    ) -> "Future[list[Result]]":
        """Sends a query, as an object of the protocol if it is no `Query`. The future has one result for each turn.

        ``on_report`` is called, by another thread, with what a search has found so far, if the query asks for that with
        ``reportDuringSearchEvery``. A future that is cancelled ends the search. An ``id`` of the query is not used.
        """
        content = query.to_json() if isinstance(query, Query) else dict(query)
        if "action" in content:
            raise QueryError("an action has no results: expected a query, or `ask_raw`", "action")
        turns = content.get("analyzeTurns")
        waiting = _Waiting(len(set(turns)) if isinstance(turns, (list, tuple)) else 1, on_report)
        self._send(content, waiting)
        waiting.future.add_done_callback(_Ending(self._writer, waiting.name))
        return waiting.future

    def ask(self, query: Query | Mapping[str, Any]) -> list[Result]:
        """Sends a query and waits for its results, one for each turn.

        Raises `QueryError` with the engine's sentence if it refuses.
        """
        self._check_thread()
        future = self.submit(query)
        try:
            return future.result()
        except BaseException:
            # After an interrupt nobody waits for the search.
            future.cancel()
            raise

    async def ask_async(self, query: Query | Mapping[str, Any]) -> list[Result]:
        """`ask` for `asyncio`; cancelling it ends the search."""
        return await asyncio.wrap_future(self.submit(query))

    def results(self, queries: Iterable[Query | Mapping[str, Any]]) -> Iterator[list[Result]]:
        """The results of many queries, in their order. Queries are taken at most 1024 ahead of the results.

        Raises `QueryError` in the place of a result that the engine refuses; those after it are dropped.
        """
        self._check_thread()
        ahead: deque[Future[list[Result]]] = deque()
        try:
            for query in queries:
                ahead.append(self.submit(query))
                while ahead and (len(ahead) >= WINDOW or ahead[0].done()):
                    found = ahead[0].result()
                    ahead.popleft()
                    yield found
            while ahead:
                found = ahead[0].result()
                ahead.popleft()
                yield found
        finally:
            for future in ahead:
                future.cancel()

    def ask_raw(self, line: Mapping[str, Any]) -> Mapping[str, Any]:
        """Sends any object of the protocol, an action for example, and waits for the first answer to it."""
        self._check_thread()
        waiting = _Waiting(0, None)
        self._send(dict(line), waiting)
        return waiting.raw.result()

    def _check_thread(self) -> None:
        if threading.current_thread() is self._reader:
            raise RuntimeError("a function that is called with an answer must not wait for another one")

    def _send(self, content: dict[str, Any], waiting: "_Waiting") -> None:
        name = str(next(self._ids))
        # Nothing waits for a line that cannot be written.
        line = _line({**content, "id": name})
        with self._queue.lock:
            if self._queue.end is not None:
                raise type(self._queue.end)(str(self._queue.end))
            waiting.name = name
            self._queue.waiting[waiting.name] = waiting
            if self._process.deadline is None:
                self._process.deadline = time.monotonic() + self._timeout
        self._writer.write(line)


def _line(content: Mapping[str, Any]) -> bytes:
    """An object as the engine reads it. Numbers of NumPy are numbers."""
    try:
        data = json.dumps(content, separators=(",", ":"), allow_nan=False, default=lambda value: value.item()).encode()
    except (ValueError, TypeError, AttributeError, UnicodeEncodeError) as error:
        raise QueryError(f"the query cannot be written as JSON: {error}") from None
    if len(data) > MAX_LINE:
        raise QueryError(f"the query has {len(data)} bytes: expected at most {MAX_LINE}")
    return data + b"\n"


class _Writer:
    """Sends lines one after another, from any thread."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._lock = threading.Lock()

    def write(self, line: bytes) -> None:
        with self._lock:
            self._process.write(line)


class _Ending:
    """Ends the search of a query whose future is cancelled."""

    def __init__(self, writer: _Writer, name: str) -> None:
        self._writer, self._name = writer, name

    def __call__(self, future: "Future[list[Result]]") -> None:
        if future.cancelled():
            with contextlib.suppress(TanadaError):
                self._writer.write(_line({"id": f"end {self._name}", "action": "terminate", "terminateId": self._name}))


class _Waiting:
    """A query that is not yet answered in full."""

    def __init__(self, turns: int, on_report: Callable[[Result], object] | None) -> None:
        self.name = ""
        self.turns = turns
        self.on_report = on_report
        self.results: list[Result] = []
        self.warnings: list[str] = []
        self.future: Future[list[Result]] = Future()
        #: The first answer, if it is wanted as it comes.
        self.raw: Future[Mapping[str, Any]] = Future()

    def take(self, answer: Mapping[str, Any]) -> bool:
        """Takes an answer; returns whether it was the last."""
        if "error" in answer:
            self.fail(QueryError(answer["error"], answer.get("field")))
            return True
        if "warning" in answer:
            self.warnings.append(f"{answer.get('field', '')}: {answer['warning']}")
            return False
        if self.turns == 0:
            _settle(self.raw, answer)
            return True
        if answer.get("noResults"):
            self.fail(QueryError("the search was ended before it began"))
            return True
        result = _result(answer, self.warnings)
        if answer["isDuringSearch"]:
            if self.on_report is not None:
                self.on_report(result)
            return False
        self.results.append(result)
        if len(self.results) < self.turns:
            return False
        self.results.sort(key=lambda found: found.turn)
        _settle(self.future, self.results)
        return True

    def fail(self, error: Exception) -> None:
        for future in (self.future, self.raw):
            with contextlib.suppress(InvalidStateError, CancelledError):
                future.set_exception(error)


class _Queue:
    """The queries that wait for answers, shared with the thread that reads them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: dict[str, _Waiting] = {}
        #: Why no more answers come.
        self.end: EngineDied | None = None


def _settle(future: "Future[T]", value: T) -> None:
    # It may have been cancelled meanwhile.
    with contextlib.suppress(InvalidStateError):
        future.set_result(value)


def _read(process: Process, queue: _Queue, timeout: float) -> None:
    """Hands all answers to those who wait for them, until the engine ends."""
    while True:
        try:
            line = process.readline()
        except EngineDied as failed:
            error = failed
            break
        try:
            answer = json.loads(line)
            name = answer.get("id")
            if name is None:
                raise ValueError
        except (ValueError, AttributeError):
            error = EngineDied(f"the engine wrote `{line[:80].decode(errors='replace').rstrip()}`, which is no answer")
            break
        with queue.lock:
            found = queue.waiting.get(name)
        if found is not None:
            try:
                is_last = found.take(answer)
            except Exception as failed:  # of `on_report`: whoever gave it hears of it
                found.fail(failed)
                is_last = True
            if is_last:
                with queue.lock:
                    queue.waiting.pop(found.name, None)
        with queue.lock:
            process.deadline = time.monotonic() + timeout if queue.waiting else None
    process.kill()
    with queue.lock:
        queue.end = error
        left = list(queue.waiting.values())
        queue.waiting.clear()
    for found in left:
        found.fail(error)


def _result(answer: Mapping[str, Any], warnings: list[str]) -> Result:
    root = answer["rootInfo"]
    proof = root.get("proof")
    return Result(
        turn=answer["turnNumber"],
        to_move=COLOURS[root["currentPlayer"]],
        moves=tuple(_move(entry, root["currentPlayer"]) for entry in answer["moveInfos"]),
        visits=root["visits"],
        value=root.get("winrate"),
        values={COLOURS[letter]: value for letter, value in root.get("values", {}).items()},
        proof=None if proof is None else COLOURS.get(proof, proof),
        hash=root["thisHash"],
        symmetric_hash=root.get("symHash"),
        warnings=tuple(warnings),
        raw=answer,
    )


def _move(entry: Mapping[str, Any], mover: str) -> MoveInfo:
    proof = entry.get("proof")
    return MoveInfo(
        move=entry["move"],
        visits=entry["visits"],
        value=entry["winrate"],
        lcb=entry["lcb"],
        prior=entry.get("prior"),
        initial_value=entry.get("initialValue"),
        proof=None if proof is None else "draw" if proof == "draw" else "win" if proof == mover else "loss",
        symmetry_of=entry.get("isSymmetryOf"),
        pv=tuple(entry["pv"]),
    )
