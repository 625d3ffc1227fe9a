"""A program that is spoken to line by line. No read lasts beyond its deadline, and the program never outlives its
`Process`."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Sequence
from typing import IO

from . import program
from .errors import EngineDied, EngineTimeout, StartError

#: Seconds between two looks at the deadlines.
TICK = 0.1
#: Seconds that a program has to end by itself after the end of its input.
GRACE = 2.0


class Process:
    """A running program.

    One thread at a time may read. Writing and closing are possible from any thread.
    """

    def __init__(self, command: Sequence[str], folder: str | None = None) -> None:
        # What it says there is read once it has ended; a pipe could fill up meanwhile.
        self._said: IO[bytes] = tempfile.TemporaryFile()
        try:
            # In a session of its own an interrupt from the keyboard reaches this process alone.
            self._popen = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, bufsize=0, cwd=folder,
                start_new_session=True, env=program.environment(),
            )
        except OSError as error:
            self._said.close()
            raise StartError(f"cannot run `{command[0]}`: {error.strerror}") from None
        assert self._popen.stdin is not None and self._popen.stdout is not None
        # Without a buffer, because closing one waits for a write that is under way.
        self._input = self._popen.stdin
        self._output = io.BufferedReader(self._popen.stdout)  # type: ignore[type-var]
        self._is_late = False
        self._is_closed = False
        self._failure: EngineDied | None = None
        self._failing = threading.Lock()
        #: When the read that is under way must be over, by `time.monotonic`; ``None`` for no limit.
        self.deadline: float | None = None
        # Also runs when the interpreter exits.
        self._end = weakref.finalize(self, end, self._popen, self._said)
        _all.add(self)
        _watch(self)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._popen.pid

    @property
    def is_running(self) -> bool:
        """Whether it can still answer."""
        return not self._is_closed and self._popen.poll() is None

    def write(self, data: bytes) -> None:
        """Sends complete lines.

        Raises `EngineDied` if nobody reads them.
        """
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._input.write(rest) :]
        except (OSError, ValueError):
            raise self.failure() from None

    def readline(self) -> bytes:
        """The next line, with its end.

        Raises `EngineDied` if there is none, or `EngineTimeout` if it does not come before the deadline.
        """
        try:
            line = self._output.readline()
        except (OSError, ValueError):
            raise self.failure() from None
        if not line.endswith(b"\n"):
            raise self.failure()
        return line

    def failure(self) -> EngineDied:
        """Ends the program, and says why it does not answer."""
        with self._failing:
            if self._failure is None:
                self._failure = self._find_failure()
            return type(self._failure)(str(self._failure))

    def _find_failure(self) -> EngineDied:
        if self._is_late:
            self.kill()
            return EngineTimeout("the engine did not answer in time and was killed")
        if self._is_closed:
            return EngineDied("the engine was closed")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(GRACE)
        status = self._popen.poll()
        said = b""
        with contextlib.suppress(ValueError):  # It may have been closed meanwhile.
            self._said.seek(0)
            said = self._said.read()
        self.kill()
        if status is None:
            return EngineDied("the engine closed its output")
        how = f"signal {-status}" if status < 0 else f"status {status}"
        return EngineDied(program.sentence(said, f"the engine ended with {how}"))

    def check_deadline(self, now: float) -> None:
        """Kills the program if it is late. Whoever reads sees the end of its output."""
        deadline = self.deadline
        if deadline is not None and now > deadline:
            self._is_late = True
            kill(self._popen)

    def disown(self) -> None:
        """Leaves the program to the parent of this process, which has the other copies of the pipes."""
        self._is_closed = True
        self._end.detach()
        nothing = os.open(os.devnull, os.O_RDWR)
        for pipe in (self._popen.stdin, self._popen.stdout):
            # The number stays in use, so that nothing else is closed by mistake later.
            if pipe is not None and not pipe.closed:
                os.dup2(nothing, pipe.fileno())
        os.close(nothing)

    def close(self) -> None:
        """Ends the program: by the end of its input, or by a signal if it does not care."""
        self._is_closed = True
        self._end()

    def kill(self) -> None:
        """Ends the program at once."""
        self._is_closed = True
        kill(self._popen)
        self._end()


def kill(popen: "subprocess.Popen[bytes]") -> None:
    """Kills a program with all that it has started, which could hold its output open."""
    if sys.platform == "win32":
        popen.kill()
    elif popen.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(popen.pid, signal.SIGKILL)


def end(popen: "subprocess.Popen[bytes]", said: IO[bytes]) -> None:
    """Closes all files of a program that is to end, and waits until it has."""
    assert popen.stdin is not None and popen.stdout is not None
    try:
        with contextlib.suppress(OSError):
            popen.stdin.close()
        popen.wait(GRACE)
    except subprocess.TimeoutExpired:
        pass
    finally:
        # Also after an interrupt.
        kill(popen)
        popen.wait()
    with contextlib.suppress(OSError):
        popen.stdout.close()
    said.close()


class _Watchdog(threading.Thread):
    """Looks at the deadlines of all processes, so that a read is a plain read."""

    def __init__(self) -> None:
        super().__init__(name="tanada-watchdog", daemon=True)
        self.watched: weakref.WeakSet[Process] = weakref.WeakSet()
        self.lock = threading.Lock()

    def run(self) -> None:
        while True:
            time.sleep(TICK)
            with self.lock:
                if not self.watched:
                    global _watchdog
                    _watchdog = None
                    return
                watched = list(self.watched)
            now = time.monotonic()
            for process in watched:
                process.check_deadline(now)
            del watched


_watchdog: _Watchdog | None = None
_starting = threading.Lock()


_all: "weakref.WeakSet[Process]" = weakref.WeakSet()


def _forget() -> None:
    """In a child of this process there is no such thread, nobody who could give the lock back, and no program: its pipes
    would otherwise stay open as long as the child lives."""
    global _watchdog, _starting, _all
    _watchdog = None
    _starting = threading.Lock()
    processes, _all = list(_all), weakref.WeakSet()
    for process in processes:
        process.disown()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget)


def _watch(process: Process) -> None:
    global _watchdog
    with _starting:
        watchdog = _watchdog
        if watchdog is not None:
            with watchdog.lock:
                if _watchdog is watchdog and watchdog.is_alive():
                    watchdog.watched.add(process)
                    return
        _watchdog = _Watchdog()
        _watchdog.watched.add(process)
        _watchdog.start()
