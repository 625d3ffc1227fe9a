#!/usr/bin/env python3
"""Measures how well two analyses of one game with different seeds agree on its mistakes.

Plays twenty games between a weak and a stronger setting (12 on 9x9, 8 on 7x7 dense), analyses each
with two seeds and counts the moves that both analyses mark among those that either marks.

Usage: scripts/lab/mark_agreement.py [--iterations N | --time SECONDS] [--threads N] [--folder FOLDER]
                                 [--seeds A,B]
TANADA_BIN names the program, default target/release/tanada. The games are kept in the folder
(default target/mark-agreement) and are used again. Exit status 1 if less than nine of ten agree.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEAK, STRONG = "name=weak,preset=linear,iterations={}", "name=strong,iterations=400"
# The board, the iterations of the weak player, pairs of games, the seed of the match.
MATCHES = [
    (["--size", "9"], 8, 6, 11),
    (["--size", "7", "--setup", "dense"], 4, 4, 12),
]
WANTED = 0.9


def play(program, folder):
    """The files of the games, which are played if they are not there yet."""
    games = []
    for board, iterations, pairs, seed in MATCHES:
        records = folder / f"games-{board[1]}"
        if not list(records.glob("games/*.sgf")):
            command = [program, "match", *board, "--pairs", str(pairs), "--plies", "2"]
            command += ["--engine", WEAK.format(iterations), "--engine", STRONG]
            command += ["--seed", str(seed), "--records", str(records)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        games += sorted(records.glob("games/*.sgf"))
    return games


def analyse(program, game, limits, seed):
    command = [program, "analyze", str(game), "--json", "--seed", str(seed), *limits]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--iterations", type=int, help="iterations a position [3000]")
    parser.add_argument("--time", type=float, help="seconds a position")
    parser.add_argument("--threads", type=int, default=1, help="threads of an analysis [1]")
    parser.add_argument(
        "--folder", type=pathlib.Path, default=ROOT / "target/mark-agreement", help="where the games are kept"
    )
    parser.add_argument("--seeds", metavar="A,B", default="1,2", help="seeds of the two analyses [1,2]")
    options = parser.parse_args()
    program = os.environ.get("TANADA_BIN", str(ROOT / "target/release/tanada"))
    if options.time is not None:
        limits = ["--time-per-move", str(options.time)]
    else:
        limits = ["--iterations", str(options.iterations or 3000)]
    limits += ["--threads", str(options.threads)]
    seeds = [int(seed) for seed in options.seeds.split(",")]

    moves = iterations = first = either = both = same = 0
    begin = time.monotonic()
    for game in play(program, options.folder):
        reviews = [analyse(program, game, limits, seed) for seed in seeds]
        moves += len(reviews[0]["moves"])
        iterations += sum(p["iterations"] for review in reviews for p in review["positions"])
        for a, b in zip(*(review["moves"] for review in reviews)):
            first += (a["mark"] is not None) + (b["mark"] is not None)
            if a["mark"] or b["mark"]:
                either += 1
                both += a["mark"] is not None and b["mark"] is not None
                same += a["mark"] == b["mark"]
                if a["mark"] != b["mark"]:
                    told = [
                        f"{m['mark'] or '-'} {100 * m['loss']:.1f} % {m['loss_interval']} {m['best']}"
                        for m in (a, b)
                    ]
                    name = "/".join(game.parts[-3:])
                    print(f"{name} {a['number']} {a['move']}: {told[0]}; {told[1]}")
    agreement = both / max(1, either)
    print(
        f"{moves} moves, {' '.join(limits)}, seeds {options.seeds}: {first / 2:.1f} marks an analysis;"
        f" {both} of {either} moves that either marks are marked by both ({100 * agreement:.1f} %),"
        f" {same} with the same mark ({100 * same / max(1, either):.1f} %);"
        f" {iterations / 2 / max(1, moves):.0f} iterations a move,"
        f" {time.monotonic() - begin:.0f} s"
    )
    return 0 if agreement >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
