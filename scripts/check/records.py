#!/usr/bin/env python3
"""Checks that an independent reader, the Python package sgfmill, understands Tanada's game records.

    scripts/check/records.py [--games 4] [--seed 1]

Plays short random games over GTP on several boards, prints each with `printsgf`, and compares size, stones and moves.
Also checks what GoGui needs: a single number in `SZ`, `GM[1]`, no `KM` and no `AE`. Needs the packages of
scripts/check/requirements.txt. TANADA_BIN names the program [target/release/tanada].
Exit status: 0 all records are right, 1 a record is wrong, 2 sgfmill is missing.
"""

import argparse
import os
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZES = [5, 9, 11, 19, 21]

sys.path.insert(0, str(ROOT / "python"))

import tanada  # noqa: E402


def vertex(point, letters="ABCDEFGHJKLMNOPQRSTUV"):
    row, column = point
    return f"{letters[column]}{row + 1}"


def check(sgf, engine, start, moves):
    """Returns what is wrong with the record of a game, or None."""
    game = sgf.Sgf_game.from_bytes(engine.send("printsgf").encode())
    root = game.get_root()
    side = int(engine.send("gogui-rules_board_size"))
    for name in ("KM", "AE"):
        if root.has_property(name):
            return f"the record has the property {name}"
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
            return "a node after the first is not a move"
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
        print("records.py: sgfmill is missing; pip install -r scripts/check/requirements.txt", file=sys.stderr)
        sys.exit(2)
    dice = random.Random(options.seed)
    count = 0
    program = os.environ.get("TANADA_BIN", str(ROOT / "target/release/tanada"))
    for size in SIZES:
        with tanada.Engine(size=size, program=program) as engine:
            for _ in range(options.games):
                engine.new_game()
                start = engine.send("gogui-rules_board")
                moves = []
                for _ in range(dice.randrange(200)):
                    legal = engine.legal_moves()
                    if not legal:
                        break
                    move = dice.choice(legal)
                    moves.append(f"{engine.to_move[0]} {move}")
                    engine.play(move)
                wrong = check(sgf, engine, start, moves)
                if wrong:
                    sys.exit(f"records.py: {size}x{size}: {wrong}")
                count += 1
    print(f"sgfmill reads {count} records correctly")


if __name__ == "__main__":
    main()
