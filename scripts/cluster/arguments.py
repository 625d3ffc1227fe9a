"""The arguments that match.py and prove.py share, and where they find the package `tanada`."""

import argparse
import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


def note(text):
    print(text, file=sys.stderr, flush=True)


class Terminated(KeyboardInterrupt):
    """The signal SIGTERM."""


def terminate(*_):
    raise Terminated


@contextlib.contextmanager
def terminable():
    """Meanwhile SIGTERM ends this script in order, as an interrupt does."""
    handler = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)


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
