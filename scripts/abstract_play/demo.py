#!/usr/bin/env python3
"""Shows a whole game between the bot and a player who plays at random, on this machine: a stand-in for the server
signs and sends the messages, and `tanada abstract-play` answers them.

usage: scripts/abstract_play/demo.py [--size {7,11,15,19}] [--seconds S] [--bot {first,second}]

Needs a release build and the Python package `cryptography`. TANADA_BIN names the program [target/release/tanada].
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], add_help=True)
    parser.add_argument("--size", type=int, choices=(7, 11, 15, 19), default=7, help="points per row [7]")
    parser.add_argument("--seconds", type=float, default=0.2, help="usual time for a move of the bot [0.2]")
    parser.add_argument("--bot", choices=("first", "second"), default="first", help="the side of the bot [first]")
    own = parser.parse_args()
    program = os.environ.get("TANADA_BIN") or str(ROOT / "target/release/tanada")
    if not Path(program).is_file():
        sys.exit(f"demo.py: there is no program `{program}`; run `cargo build --release` or set TANADA_BIN")
    try:
        from bot import BotProcess
        from stand_in import StandIn
    except ModuleNotFoundError as error:
        sys.exit(f"demo.py: {error}; run `pip install -r scripts/check/requirements.txt`")
    with tempfile.TemporaryDirectory() as folder:
        stand_in = StandIn(seed=None)
        bot = BotProcess(program, folder, stand_in, {"seconds_per_move": own.seconds})
        bot.start()
        print(f"The bot listens on {stand_in.bot}; ping: {stand_in.get('/')[1]}")
        print(f"Challenge on {own.size}x{own.size}: {'accepted' if stand_in.challenge(own.size) else 'declined'}")
        game = stand_in.start(own.size, "b" if own.bot == "first" else "w")
        game.over.wait()
        for number, pair in enumerate(game.rounds(), 1):
            print(f"{number:4}. {' '.join(f'{move:4}' for move in pair)}")
        print("\n".join(game.board.rows()))
        print(f"The {'bot' if game.winner() == game.bot else 'other player'} wins after {len(game.moves)} moves.")
        print(f"/healthz: {stand_in.get('/healthz')[1]}")
        bot.end()
        stand_in.close()


if __name__ == "__main__":
    main()
