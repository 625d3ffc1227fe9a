#!/usr/bin/env python3
"""Reads Tanada's game records with a reader that is not its own, the Python package sgfmill.

    scripts/check/records.py [--games 4] [--seed 1]

Plays short random games over the protocol on several boards, prints each with `printsgf`, and
compares board, stones and moves. Checks also what GoGui asks for: one number as `SZ`, `GM[1]`, no
`KM` and no `AE`. Without sgfmill (python3 -m pip install sgfmill==1.1.1) it says so and ends with
status 0. TANADA_BIN names the program [target/release/tanada]. Exit status: 0, 1 a record is wrong.
"""

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOARDS = [["--size", "5"], ["--size", "9"], ["--size", "11"], ["--size", "19"], ["--size", "21"]]


class Engine:
    """A program that answers over the protocol."""

    def __init__(self, arguments):
        program = os.environ.get("TANADA_BIN", ROOT / "target/release/tanada")
        self.process = subprocess.Popen(
            [program, "gtp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        lines = []
        while line := self.process.stdout.readline().rstrip("\n"):
            lines.append(line)
        text = "\n".join(lines)
        if not text.startswith("= "):
            sys.exit(f"records.py: {line!r} was answered by {text!r}")
        return text[2:]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def vertex(point, letters="ABCDEFGHJKLMNOPQRSTUV"):
    row, column = point
    return f"{letters[column]}{row + 1}"


def check(sgf, engine, start, moves):
    """What is wrong with the record of a game."""
    game = sgf.Sgf_game.from_bytes(engine.ask("printsgf").encode())
    root = game.get_root()
    side = int(engine.ask("gogui-rules_board_size"))
    for name in ("KM", "AE"):
        if root.has_property(name):
            return f"{name} is in the record"
    if game.get_size() != side or root.get_raw("SZ") != str(side).encode() or root.get_raw("GM") != b"1":
        return "SZ or GM is wrong"
    black, white, _ = root.get_setup_stones()
    rows = [row.split() for row in start.splitlines()]
    for stones, letter in ((black, "X"), (white, "O")):
        expected = {(side - 1 - y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if c == letter}
        if stones != expected:
            return f"the stones of {letter} are {stones}, expected {expected}"
    found = []
    for node in game.get_main_sequence()[1:]:
        colour, point = node.get_move()
        if colour is None or point is None:
            return "a node below the first is no move"
        found.append(f"{colour} {vertex(point)}")
    return None if found == moves else f"the moves are {found}, expected {moves}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4, help="games on each board [4]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the games [1]")
    options = parser.parse_args()
    try:
        from sgfmill import sgf
    except ImportError:
        print("records.py: SKIPPED: the Python package `sgfmill` is missing (version 1.1.1)", file=sys.stderr)
        return
    dice = random.Random(options.seed)
    count = 0
    for board in BOARDS:
        engine = Engine(board)
        for _ in range(options.games):
            engine.ask("clear_board")
            start = engine.ask("gogui-rules_board")
            moves = []
            for _ in range(dice.randrange(200)):
                legal = engine.ask("gogui-rules_legal_moves").split()
                if not legal:
                    break
                move = f"{engine.ask('gogui-rules_side_to_move')[0]} {dice.choice(legal)}"
                engine.ask(f"play {move}")
                moves.append(move)
            wrong = check(sgf, engine, start, moves)
            if wrong:
                sys.exit(f"records.py: {' '.join(board)}: {wrong}")
            count += 1
        engine.close()
    print(f"records.py: sgfmill reads {count} records as they were played")


if __name__ == "__main__":
    main()
