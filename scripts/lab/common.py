"""What the Python scripts of the laboratory share."""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from tanada.program import environment  # noqa: E402, F401


class Parser(argparse.ArgumentParser):
    """Explains wrong arguments in one line."""

    def error(self, message):
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)


def common(function, *words):
    """Returns what a function of scripts/lab/common.sh prints. If it refuses, this script exits the same way."""
    call = shlex.join([function, *map(str, words)])
    name = os.path.basename(sys.argv[0])
    shell = ["bash", "-c", f"set -euo pipefail; . scripts/lab/common.sh; {call}", name]
    # Relative paths start at the current folder, but the shell runs in the root.
    named = {
        name: os.path.abspath(os.environ[name])
        for name in ("TANADA_BIN", "TANADA_GENERATIONS")
        if os.environ.get(name)
    }
    done = subprocess.run(
        shell, cwd=ROOT, env={**os.environ, **named}, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(done.returncode)
    return done.stdout.strip()
