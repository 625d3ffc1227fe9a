#!/usr/bin/env python3
"""Measures how well two analyses of a game with different seeds agree on its mistakes.

Plays twenty games between a weak and a stronger player (12 on 9x9, 8 on 7x7 dense) and analyses each with two seeds.
The result is the share of the moves marked by both analyses among those marked by at least one.

Usage: scripts/lab/mark_agreement.py [--iterations N | --time SECONDS] [--threads N] [--folder FOLDER]
                                     [--seeds A,B]
TANADA_BIN names the program [target/release/tanada]. A second run uses the games in the folder again.
Exit status: 0 finished, 1 the analyses agree on fewer than 90 % of the marked moves.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

from common import ROOT, environment

WEAK, STRONG = "name=weak,preset=linear,iterations={}", "name=strong,iterations=400"
# Board, iterations of the weak player, pairs of games, seed of the match.
MATCHES = [
    (["--size", "9"], 8, 6, 11),
    (["--size", "7", "--setup", "dense"], 4, 4, 12),
]
WANTED = 0.9


def play(program, folder):
    """The files of the games; plays them first if necessary."""
    games = []
    for board, iterations, pairs, seed in MATCHES:
        records = folder / f"games-{board[1]}"
        if not list(records.glob("games/*.sgf")):
            command = [program, "match", *board, "--pairs", str(pairs), "--plies", "2"]
            command += ["--engine", WEAK.format(iterations), "--engine", STRONG]
            command += ["--seed", str(seed), "--records", str(records)]
            subprocess.run(command, check=True, env=environment(), stdout=subprocess.DEVNULL)
        games += sorted(records.glob("games/*.sgf"))
    return games


def analyse(program, game, limits, seed):
    command = [program, "analyze", str(game), "--json", "--seed", str(seed), *limits]
    return json.loads(subprocess.run(command, check=True, env=environment(), capture_output=True).stdout)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--iterations", type=int, help="iterations per position [3000]")
    parser.add_argument("--time", type=float, help="seconds per position, instead of iterations")
    parser.add_argument("--threads", type=int, default=1, help="threads of an analysis [1]")
    parser.add_argument(
        "--folder", type=pathlib.Path, default=ROOT / "target/mark-agreement", help="folder of the games [target/mark-agreement]"
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
        f"{moves} moves, {' '.join(limits)}, seeds {options.seeds}: {first / 2:.1f} marks per analysis;"
        f" both mark {both} of the {either} moves marked by either ({100 * agreement:.1f} %),"
        f" {same} of them with the same mark ({100 * same / max(1, either):.1f} %);"
        f" {iterations / 2 / max(1, moves):.0f} iterations per move,"
        f" {time.monotonic() - begin:.0f} s"
    )
    return 0 if agreement >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
