#!/usr/bin/env python3
"""Measures the bot under load: how long its answers and its moves take while many games run and messages come at a
steady rate.

usage: scripts/abstract_play/load.py [--games N] [--plies N] [--rate N] [--seconds S] [--move S] [--searches N]

Needs a release build and the Python package `cryptography`. TANADA_BIN names the program [target/release/tanada].
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOARDS = (7, 11, 15, 19)


def show(name, seconds):
    """One line: how many, the median, the 99th percentile and the largest."""
    ordered = sorted(seconds)
    at = lambda share: 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]
    print(f"{name:32} {len(ordered):6} {at(0.5):9.1f} {at(0.99):9.1f} {at(1):9.1f}")


def resident(process):
    """The memory of a process, in MiB, where the system tells it."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--games", type=int, default=1000, help="running games [1000]")
    parser.add_argument("--plies", type=int, default=20, help="random moves at the beginning of each game [20]")
    parser.add_argument("--rate", type=float, default=10, help="turns a second [10]")
    parser.add_argument("--seconds", type=float, default=60, help="how long turns come [60]")
    parser.add_argument("--move", type=float, default=0.1, help="usual time for a move of the bot, in seconds [0.1]")
    parser.add_argument("--searches", type=int, default=2, help="searches of the bot at once [2]")
    own = parser.parse_args()
    program = os.environ.get("TANADA_BIN") or str(ROOT / "target/release/tanada")
    try:
        from bot import BotProcess
        from stand_in import StandIn
    except ModuleNotFoundError as error:
        sys.exit(f"load.py: {error}; run `pip install -r scripts/check/requirements.txt`")

    class Patient(StandIn):
        """The other players take hours for a move."""

        def go_on(self, game):
            with self.lock:
                if not game.winner():
                    self.reply(game)

    with tempfile.TemporaryDirectory() as folder:
        stand_in = Patient()
        policy = {"seconds_per_move": own.move, "searches": own.searches, "max_games": own.games, "memory": 64}
        bot = BotProcess(program, folder, stand_in, policy)
        bot.start()
        challenges, accepted = [], []
        for number in range(own.games):
            begun = time.time()
            assert stand_in.challenge(BOARDS[number % 4]), "a challenge was declined"
            challenges.append(time.time() - begun)
        games = [stand_in.new_game(BOARDS[number % 4], "bw"[number % 2]) for number in range(own.games)]
        for game in games:
            for _ in range(own.plies // 2 * 2):
                if not game.winner():
                    stand_in.reply(game)

        def tell(game):
            begun = time.time()
            stand_in.tell(game)
            accepted.append(time.time() - begun)

        begun, threads = time.time(), []
        for number in range(int(own.rate * own.seconds)):
            time.sleep(max(0, begun + number / own.rate - time.time()))
            game = games[number % own.games]
            if not game.winner():
                threads.append(threading.Thread(target=tell, args=(game,)))
                threads[-1].start()
        for thread in threads:
            thread.join()
        deadline = time.time() + 600
        while stand_in.get("/healthz")[1]["oldest_seconds"] and time.time() < deadline:
            time.sleep(0.2)
        health = stand_in.get("/healthz")[1]
        moves = [end - start for game in games for start, end in game.answered.values() if end]
        print(f"{'milliseconds':32} {'number':>6} {'median':>9} {'99 %':>9} {'largest':>9}")
        show("challenge answered", challenges)
        show("turn accepted", accepted)
        show("turn accepted to move delivered", moves)
        print(f"memory {resident(bot.process)} MiB; /healthz: {health}")
        bot.end()
        stand_in.close()


if __name__ == "__main__":
    main()
