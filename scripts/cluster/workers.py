"""What match.py, prove.py and scripts/learn share: programs that run on Dask workers and end with them, the connection,
and the arguments about both.

Functions of this module run on machines that may lack it, so it travels with them (`travels`).
"""

import argparse
import contextlib
import hashlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRIES = 5  # A run stops after so many failures of one task, by the program or by workers.

# A process between a worker and its program. When the worker ends, for any reason, the pipe from it is closed; the guard
# then ends the program with its children and deletes the folder. It leaves the program's CPU seconds in `FOLDER/cpu`.
GUARD = """
import os, resource, shutil, signal, subprocess, sys, threading
folder, nice, *command = sys.argv[1:]
os.nice(int(nice))
program = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
if int(nice):
    try:
        # Where Linux groups processes by session, niceness counts only within a session, and the group has its own.
        with open(f"/proc/{program.pid}/autogroup", "w") as group:
            group.write(nice)
    except OSError:
        pass
gone = threading.Event()
def follow():
    while os.read(0, 1):
        pass
    gone.set()
    try:
        # Engines of a match are in groups of their own, which the match ends when it is interrupted.
        program.send_signal(signal.SIGINT)
        program.wait(10)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(program.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
threading.Thread(target=follow, daemon=True).start()
code = program.wait()
if gone.is_set():
    shutil.rmtree(folder, ignore_errors=True)
else:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(folder, "cpu"), "w") as file:
        file.write(str(used.ru_utime + used.ru_stime))
sys.exit(min(abs(code), 255))
"""


def note(text):
    print(text, file=sys.stderr, flush=True)


def guard(folder, command, nice=0, **pipes):
    """Starts a program that ends with this process. Closing the guard's `stdin` ends it too."""
    return subprocess.Popen(
        [sys.executable, "-c", GUARD, str(folder), str(nice), *map(str, command)],
        stdin=subprocess.PIPE, start_new_session=True, **pipes,
    )


def check_program(program, digest):
    """Refuses a program that differs from that of the machine that submitted the task."""
    try:
        content = Path(program).read_bytes()
    except OSError as error:
        raise RuntimeError(f"`{program}`: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise RuntimeError(f"`{program}` differs from the program of the machine that started this run")


@contextlib.contextmanager
def own_folder(prefix):
    """A folder for one task."""
    folder = tempfile.mkdtemp(prefix=prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_on_worker(folder, command, token, nice=0, stdout=subprocess.DEVNULL):
    """Runs a program on a worker. Returns its exit status, the lines of its standard error, and its CPU seconds."""
    from distributed import get_worker

    worker = get_worker()
    guards = worker.__dict__.setdefault("tanada_guards", {})
    with guard(folder, command, nice, stdout=stdout, stderr=subprocess.PIPE) as process:
        guards[process] = token
        if token in worker.__dict__.get("tanada_dropped", ()):
            # It was dropped a moment ago.
            process.stdin.close()
        said = process.stderr.read().decode(errors="replace").splitlines()
        code = process.wait()
        guards.pop(process, None)
    used = Path(folder, "cpu")
    return code, said, float(used.read_text()) if used.exists() else 0.0


def drop_programs(client, *tokens, also_later=False):
    """Ends the programs with these tokens on every worker, with `also_later` also those that start after this."""

    def drop(dask_worker):
        if also_later:
            dask_worker.__dict__.setdefault("tanada_dropped", set()).update(tokens)
        for process, owner in list(getattr(dask_worker, "tanada_guards", {}).items()):
            if owner in tokens:
                process.stdin.close()

    client.run(drop, on_error="ignore")


def failure_of(future):
    """Why a task that is not finished failed."""
    error = future.exception()
    return "its workers died" if type(error).__name__ == "KilledWorker" else str(error)


class Parser(argparse.ArgumentParser):
    """Arguments of a script, some of which are for `tanada`; errors are one line."""

    def __init__(self, **more):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **more)

    def error(self, message):
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)

    def add_cluster(self):
        """Adds what says where tasks run."""
        self.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler [this machine only]")
        self.add_argument("--workers", metavar="N", type=int, help="processes on this machine [one for each core]")
        self.add_argument("--tanada", metavar="PATH", help="program [TANADA_BIN or target/release/tanada]")

    def check_cluster(self, own):
        """Refuses what cannot be. Returns the path of the program."""
        if own.scheduler and own.workers is not None:
            self.error("`--workers` and `--scheduler` exclude each other")
        if own.workers is not None and own.workers < 1:
            self.error(f"invalid value `{own.workers}` for `--workers`: expected a whole number, 1 or more")
        try:
            import distributed  # noqa: F401
        except ImportError:
            self.error("the package `distributed` is missing; pip install -r scripts/cluster/requirements.txt")
        named = own.tanada or os.environ.get("TANADA_BIN") or str(ROOT / "target/release/tanada")
        program = shutil.which(named)
        if program is None:
            self.error(f"there is no program `{named}`; run `cargo build --release` or use `--tanada PATH`")
        return os.path.abspath(program)


def digest_of(program):
    """What `check_program` compares."""
    return hashlib.sha256(Path(program).read_bytes()).hexdigest()


def travels(*modules):
    """Sends the functions of these modules to workers as code, because other machines have no copy of this tree."""
    import cloudpickle

    for module in (sys.modules[__name__], *modules):
        cloudpickle.register_pickle_by_value(module)


def by_value(function):
    """A function that Dask sends as code. It would send only the name of `function`."""
    return lambda *arguments, **named: function(*arguments, **named)


@contextlib.contextmanager
def connection(scheduler, workers):
    """A Dask client: of a scheduler, or of worker processes on this machine, one for each core by default."""
    import dask
    from distributed import Client, LocalCluster

    dask.config.set({"distributed.scheduler.allowed-failures": TRIES})
    cluster = None
    try:
        if scheduler is None:
            # Workers ignore an interrupt from the terminal, because this process ends them in order.
            handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
            cluster = LocalCluster(
                n_workers=workers or os.cpu_count(), threads_per_worker=1, processes=True,
                dashboard_address=None, silence_logs=logging.CRITICAL,
            )
            signal.signal(signal.SIGINT, handler)
        with Client(cluster or scheduler) as client:
            client.wait_for_workers(1)
            yield client
    finally:
        if cluster is not None:
            cluster.close()
