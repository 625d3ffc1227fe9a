#!/usr/bin/env python3
"""Greedily copies the inputs of a fuzz target that add the most features, which are edges with hit counts; the
shorter input wins a tie.

Usage: scripts/hard/pick_inputs.py CONTROL DESTINATION [--most 48] [--bytes 1000]

CONTROL is the file that libFuzzer writes with `-merge=1 -merge_control_file=CONTROL`. Inputs of more than --bytes bytes
are left out. Files in DESTINATION stay; prints how many of the features are reached by what was copied.
"""

import argparse
import shutil
from pathlib import Path


def read(control: Path) -> list[tuple[Path, int, frozenset[int]]]:
    """The inputs of a control file: path, size, and the features that each reaches."""
    lines = control.read_text().splitlines()
    count = int(lines[0])
    paths = [Path(line) for line in lines[2 : 2 + count]]
    sizes: dict[int, int] = {}
    features: dict[int, frozenset[int]] = {}
    for line in lines[2 + count :]:
        kind, number, *rest = line.split()
        if kind == "STARTED":
            sizes[int(number)] = int(rest[0])
        elif kind == "FT":
            features[int(number)] = frozenset(map(int, rest))
    return [(paths[i], sizes[i], features.get(i, frozenset())) for i in sorted(sizes)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("control", type=Path)
    parser.add_argument("destination", type=Path)
    parser.add_argument("--most", type=int, default=48)
    parser.add_argument("--bytes", type=int, default=1000)
    options = parser.parse_args()

    inputs = read(options.control)
    everything = frozenset().union(*(reached for _, _, reached in inputs))
    left = [each for each in inputs if each[1] <= options.bytes]
    reached: frozenset[int] = frozenset()
    picked = 0
    while left and picked < options.most:
        best = max(left, key=lambda each: (len(each[2] - reached), -each[1]))
        if not best[2] - reached:
            break
        left.remove(best)
        reached |= best[2]
        shutil.copy(best[0], options.destination / best[0].name[:12])
        picked += 1
    print(f"{picked} of {len(inputs)} inputs reach {len(reached)} of {len(everything)} features")


if __name__ == "__main__":
    main()
