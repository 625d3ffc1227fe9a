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
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, NamedTuple

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


#: What the name of a folder begins with while it is deleted.
GONE = ".gone-"


class Lease:
    """The use of a folder by one worker. Once no worker of the machine uses it, the folder is deleted. What a killed
    worker left is used by the next one, or deleted when a folder beside it is used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = self._take(folder)
        for other in folder.parent.iterdir():
            if other.name.startswith(GONE):
                shutil.rmtree(other, ignore_errors=True)
            elif other != folder:
                with contextlib.suppress(OSError), open(other / ".lease", "r+") as file:
                    delete_unused(other, file)

    @staticmethod
    def _take(folder: Path) -> IO[str]:
        path = folder / ".lease"
        while True:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                file = open(path, "w")
            except FileNotFoundError:
                continue  # Another worker deletes the folder just now.
            # Only a worker that deletes the folder holds this alone, for a moment.
            fcntl.flock(file, fcntl.LOCK_SH)
            if is_at(file, path):
                return file
            file.close()

    def end(self) -> None:
        """Gives the folder back."""
        with self._file:
            delete_unused(self.folder, self._file)

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


def is_at(file: IO[str], path: Path) -> bool:
    """Whether an open file still has its name."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    return False


def delete_unused(folder: Path, lease: IO[str]) -> None:
    """Deletes a folder, whose lease is open, unless a worker uses it."""
    with contextlib.suppress(OSError):
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_at(lease, folder / ".lease"):
            # It goes at once; another worker may already make it anew.
            gone = folder.with_name(f"{GONE}{uuid.uuid4().hex}")
            os.rename(folder, gone)
            shutil.rmtree(gone, ignore_errors=True)
