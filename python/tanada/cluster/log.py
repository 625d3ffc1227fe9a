"""A log of results that survives a kill: appended, synced, under a lock."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import ClusterError

#: Seconds between two tries to get a lock.
PAUSE = 0.1


@contextlib.contextmanager
def hold(path: "str | os.PathLike[str]", patience: float = 0.0) -> Iterator[None]:
    """Holds a lock file; waits up to ``patience`` seconds for it.

    Raises `ClusterError` if another process holds it longer.
    """
    try:
        lock = open(path, "w")
    except OSError as error:
        raise ClusterError(f"cannot write `{os.fspath(path)}`: {error.strerror}") from None
    with lock:
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise ClusterError(f"`{Path(path).parent}` is in use by another runner") from None
                time.sleep(PAUSE)
        yield


class Log:
    """A file of lines to which runs append. If a kill cuts a line short, `read` ignores the rest and
    `append` removes it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Log(f"{folder}/results.jsonl")
    ...     log.append(['{"game": 1}'])
    ...     with open(log.path, "a") as file:
    ...         _ = file.write('{"ga')
    ...     log.append(['{"game": 2}'])
    ...     log.read()
    ['{"game": 1}', '{"game": 2}']
    """

    def __init__(
        self, path: "str | os.PathLike[str]", lock: "str | os.PathLike[str] | None" = None, patience: float = 30.0
    ) -> None:
        self.path = Path(path)
        #: The file to lock while something is appended; without it, the caller sees to it that nobody else appends.
        self.lock = lock
        self.patience = patience

    def read(self) -> list[str]:
        """The complete lines, without their ends; none if there is no file."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return []
        return content[: content.rfind(b"\n") + 1].decode(errors="replace").split("\n")[:-1]

    def append(self, lines: Iterable[str]) -> None:
        """Adds lines, and returns once they are on the disk.

        Raises `ClusterError` if another process holds the lock for longer than ``patience`` seconds.
        """
        content = "".join(line + "\n" for line in lines).encode()
        with contextlib.ExitStack() as held:
            if self.lock is not None:
                held.enter_context(hold(self.lock, self.patience))
            with open(self.path, "a+b", buffering=0) as file:
                cut_torn_line(file.fileno())
                rest = memoryview(content)
                while rest:
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())

    def keep(self, count: int) -> None:
        """Cuts all lines but the first ``count``, for a caller that found the next one damaged."""
        lines = self.path.read_bytes().split(b"\n")[:count] if self.path.exists() else []
        length = sum(len(line) + 1 for line in lines)
        if self.path.exists() and length < self.path.stat().st_size:
            os.truncate(self.path, length)


def cut_torn_line(number: int) -> None:
    """Cuts what follows the last end of a line."""
    size = end = os.fstat(number).st_size
    while end > 0:
        begin = max(0, end - 65536)
        found = os.pread(number, end - begin, begin).rfind(b"\n")
        if found >= 0:
            end = begin + found + 1
            break
        end = begin
    if end < size:
        os.ftruncate(number, end)
