"""What the tests share."""

import os
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def is_alive(pid):
    """Whether a process is there, other than as a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def assert_gone(pid, seconds=5):
    """Waits until a process is gone."""
    until = time.monotonic() + seconds
    while is_alive(pid):
        assert time.monotonic() < until, f"process {pid} is still there"
        time.sleep(0.01)


@pytest.fixture
def fake(tmp_path):
    """Makes a program from the body of a shell script."""

    def make(body):
        path = tmp_path / "fake"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return os.fspath(path)

    return make
