#!/usr/bin/env python3
"""Measures how much faster the solver is with two threads than with one.

    scripts/lab/solver_threads.py [--rounds N] [FILE]

Solves each position of FILE with one thread and with two, in turn, and prints the seconds of both, their ratio, and
the geometric mean of all ratios. The fastest of N rounds counts. FILE has the format of `tanada endings`. Nothing else
should run on the machine. Needs target/release/tanada.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/release/tanada"
COLOURS = {"b": "black", "w": "white"}


def diagram(mover, rows):
    """The position as a file for `tanada solve`."""
    lines = [f"to move: {COLOURS[mover]}"]
    for row in rows.split("/"):
        points = re.sub(r"\d+", lambda count: "." * int(count.group()), row)
        lines.append(" ".join(points))
    return "\n".join(lines) + "\n"


def seconds(path, threads, winner):
    words = [PROGRAM, "solve", path, "--json", "--memory", "1024", "--threads", str(threads)]
    found = subprocess.run(words, capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(found.stderr)
    answer = json.loads(found.stdout)
    if answer["winner"] != COLOURS[winner]:
        sys.exit(f"solver_threads.py: {answer['winner']} wins instead of {COLOURS[winner]}:\n{path.read_text()}")
    return answer["seconds"], answer["nodes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", nargs="?", default=ROOT / "tests/data/solver/threads.txt",
                        help="positions [tests/data/solver/threads.txt]")
    parser.add_argument("--rounds", metavar="N", type=int, default=1, help="runs with each number of threads [1]")
    options = parser.parse_args()
    logarithms = []
    print("position | million nodes, 1 and 2 threads | seconds, 1 and 2 threads | ratio")
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "position.txt"
        for line in pathlib.Path(options.file).read_text().splitlines():
            words = line.split("#")[0].split()
            if not words:
                continue
            _, mover, rows, winner = words
            path.write_text(diagram(mover, rows))
            runs = [[seconds(path, threads, winner) for threads in (1, 2)]
                    for _ in range(options.rounds)]
            one, two = (min(run[i][0] for run in runs) for i in (0, 1))
            nodes = [runs[0][i][1] / 1e6 for i in (0, 1)]
            logarithms.append(math.log(one / two))
            print(f"{rows} {mover} | {nodes[0]:.2f} {nodes[1]:.2f} | {one:.2f} {two:.2f} | "
                  f"{one / two:.2f}", flush=True)
    if not logarithms:
        sys.exit(f"solver_threads.py: `{options.file}` holds no position")
    mean = math.exp(sum(logarithms) / len(logarithms))
    print(f"geometric mean of {len(logarithms)}: {mean:.3f}")


main()
