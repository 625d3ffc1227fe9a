"""Programs that end with the process that has started them, whatever ends it.

This module travels to workers as code, so it uses nothing else of this package.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

# A process between a worker and its program. When the worker ends, for any reason, the pipe from it is closed; the guard
# then ends the program and deletes the folder. Otherwise it leaves the program's CPU seconds in `FOLDER/cpu`. Children
# that the program leaves are killed: they may hold its standard error, to whose end the worker reads.
GUARD = """
import os, resource, shutil, signal, subprocess, sys, threading, time
folder, nice, *command = sys.argv[1:]
os.nice(int(nice))
# Workers of `connect` ignore it, and a program would inherit that.
signal.signal(signal.SIGINT, signal.SIG_DFL)
# Dask sets this variable for workers, so that they give memory back soon. Programs with large blocks would keep
# asking for it anew: a step of a fit of a network took nearly three times as long.
os.environ.pop("MALLOC_TRIM_THRESHOLD_", None)
program = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
if int(nice):
    try:
        # Where Linux groups processes by session, niceness counts only within a session, and the group has its own.
        with open(f"/proc/{program.pid}/autogroup", "w") as group:
            group.write(nice)
    except OSError:
        pass
gone = threading.Event()
def kill():
    try:
        os.killpg(program.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
def follow():
    while os.read(0, 1):
        pass
    gone.set()
    # Engines of a match are in groups of their own, which the match ends when it is interrupted.
    program.send_signal(signal.SIGINT)
    time.sleep(10)
    kill()
threading.Thread(target=follow, daemon=True).start()
code = program.wait()
kill()
if gone.is_set():
    shutil.rmtree(folder, ignore_errors=True)
else:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(folder, "cpu"), "w") as file:
        file.write(str(used.ru_utime + used.ru_stime))
sys.exit(min(abs(code), 255))
"""


class Finished(NamedTuple):
    """How a program ended."""

    status: int
    #: The lines of its standard error.
    said: list[str]
    #: The CPU seconds that it took with its children.
    cpu: float

    def sentence(self, name: str) -> str:
        """What it said last, or its status."""
        return self.said[-1] if self.said else f"`{name}` ended with status {self.status}"


def guard(
    folder: "str | os.PathLike[str]", command: Sequence[object], nice: int = 0, **pipes: Any
) -> "subprocess.Popen[bytes]":
    """Starts a program that ends with this process. Closing its ``stdin`` ends it too, and deletes the folder."""
    return subprocess.Popen(
        [sys.executable, "-c", GUARD, os.fspath(folder), str(nice), *map(str, command)],
        stdin=subprocess.PIPE, start_new_session=True, **pipes,
    )


def wait_for(process: "subprocess.Popen[bytes]", folder: "str | os.PathLike[str]") -> Finished:
    """Waits for a program of `guard` whose standard error is a pipe."""
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace").splitlines()
    status = process.wait()
    used = Path(folder, "cpu")
    return Finished(status, said, float(used.read_text()) if used.exists() else 0.0)


def run_program(
    folder: "str | os.PathLike[str]", command: Sequence[object], nice: int = 0,
    stdout: "int | IO[Any]" = subprocess.DEVNULL,
) -> Finished:
    """Runs a program on this machine that ends with this process."""
    with guard(folder, command, nice, stdout=stdout, stderr=subprocess.PIPE) as process:
        return wait_for(process, folder)


@contextlib.contextmanager
def own_folder(prefix: str) -> Iterator[str]:
    """A folder that is deleted at the end."""
    folder = tempfile.mkdtemp(prefix=prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
