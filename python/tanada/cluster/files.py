"""Files that were brought to a machine: a folder for each content, named by its SHA-256.

This module travels to workers as code, so it uses nothing else of this package.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

#: Seconds between two looks at a lock that another process holds.
PAUSE = 0.02


class File(NamedTuple):
    """A file that `Cluster.bring` has brought. Pass it to tasks; `TaskContext.path` is its place on the worker."""

    #: The SHA-256 of its content.
    digest: str
    name: str
    is_program: bool


def digest_of(content: bytes) -> str:
    """The SHA-256 of a content, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def is_whole(path: Path, file: File) -> bool:
    """Whether a copy is there, unaltered."""
    found = hashlib.sha256()
    try:
        with open(path, "rb") as content:
            while part := content.read(1 << 20):
                found.update(part)
    except OSError:
        return False
    return found.hexdigest() == file.digest and (not file.is_program or os.access(path, os.X_OK))


def write(path: Path, content: bytes, file: File) -> None:
    """Writes a copy that other processes see whole or not at all."""
    number, part = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    try:
        with open(number, "wb") as out:
            out.write(content)
            os.fchmod(out.fileno(), 0o500 if file.is_program else 0o400)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


class Lease:
    """The use of a folder by one worker. Once no worker of the machine uses it, the folder is deleted; what a killed
    worker left is used by the next one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / ".lease"
        while True:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                self._file = open(path, "w")
            except FileNotFoundError:
                continue  # Another worker deletes the folder just now.
            # Only a worker that deletes the folder holds this alone, for a moment.
            fcntl.flock(self._file, fcntl.LOCK_SH)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._file.fileno()), os.stat(path)):
                    return
            self._file.close()

    def end(self) -> None:
        """Gives the folder back."""
        with self._file, contextlib.suppress(BlockingIOError):
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(self.folder, ignore_errors=True)

    @contextlib.asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Lets one worker of the machine write at a time."""
        with open(self.folder / ".writing", "w") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    await asyncio.sleep(PAUSE)
            yield
