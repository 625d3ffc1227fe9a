"""Workers that tests use: those of another process, some of which are killed."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tanada.cluster import connect


#: Workers of another process, which outlive a connection. It ends with its standard input.
MACHINES = """
import dask, distributed, sys
if __name__ == "__main__":
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    made = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    print(made.scheduler_address, flush=True)
    for line in sys.stdin:
        made.scale(int(line))
    made.close()
"""


class Machines:
    """A scheduler with two workers that cannot import this package."""

    def __init__(self, folder):
        (folder / "tanada.py").write_text("raise ImportError('this machine has no package tanada')\n")
        path = folder / "machines.py"
        path.write_text(MACHINES)
        self.folder = folder / "scratch"
        environment = {**os.environ, "PYTHONPATH": str(folder), "DASK_TEMPORARY_DIRECTORY": str(self.folder)}
        self.process = subprocess.Popen(
            [sys.executable, str(path)], cwd="/", env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.address = self.process.stdout.readline().strip()

    def scale(self, workers):
        self.process.stdin.write(f"{workers}\n")
        self.process.stdin.flush()

    def files(self):
        """The copies of brought files."""
        return [
            Path(folder, name)
            for folder, _, names in os.walk(self.folder)
            for name in names
            if Path(folder).parent.name == "tanada" and not name.startswith(".")
        ]

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        # With a worker that was just killed, Dask may take long; all processes end with this one.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(15)
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def shared_machines(tmp_path_factory):
    made = Machines(tmp_path_factory.mktemp("machines"))
    yield made
    made.close()


@pytest.fixture
def machines(shared_machines):
    """The same machines for most tests, without files of the test before."""
    wait_until(lambda: not shared_machines.files())
    return shared_machines


@pytest.fixture
def workers(machines):
    with connect(machines.address) as made:
        made.client.wait_for_workers(2, timeout=60)
        yield made


@pytest.fixture
def mortals(tmp_path):
    """Machines for a test that kills workers; Dask does not always start others in their place."""
    made = Machines(tmp_path)
    yield made
    made.close()


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, f"did not happen in {seconds} s"
        time.sleep(0.02)
    return result


def play(context, number, program, place):
    """Runs a program that notes its number, and takes long."""
    with context.folder() as folder:
        ended = context.run(folder, [program, place, number])
    if ended.status != 0:
        raise RuntimeError(ended.sentence("fake"))
    return ended.said, ended.cpu


def started(place):
    """The numbers of the processes that `play` has started."""
    return [int(path.read_text()) for path in Path(place).glob("*.pid") if path.read_text().endswith("\n")]


LONG = 'echo $$ > "$1/$2.pid"\nexec sleep 300'
