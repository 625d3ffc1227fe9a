#!/usr/bin/env python3
"""Tests of `tanada abstract-play` against the stand-in for the server: whole games on every board through every fault
that the stand-in knows, signatures, challenges, restarts. Needs the packages of scripts/check/requirements.txt.

usage: scripts/abstract_play/test_bot.py [TEST...]

TANADA_BIN names the program [target/release/tanada]; GAMES how many games the bot plays while it is killed [200].
"""

import json
import os
import random
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if sys.argv[1:] in (["--help"], ["-h"]):
    print(__doc__)
    sys.exit()
try:
    from bot import BotProcess
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from stand_in import BOARDS, Faults, StandIn
except ModuleNotFoundError as error:
    sys.exit(f"test_bot.py: {error}; run `pip install -r scripts/check/requirements.txt`")

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from tanada.program import environment  # noqa: E402

PROGRAM = os.environ.get("TANADA_BIN") or str(ROOT / "target/release/tanada")
GAMES = int(os.environ.get("GAMES", "200"))
QUICK = {"seconds_per_move": 0.01, "max_games": 2000, "memory": 16}
TROUBLE = {
    "delay": 0.02,
    "repeat": 0.05,
    "damage": 0.05,
    "old": 0.05,
    "unauthorized": 0.02,
    "busy": 0.03,
    "broken": 0.02,
    "broken_after": 0.02,
    "hang_up_after": 0.02,
}


class BotTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bots = []

    def tearDown(self):
        for bot, stand_in in self.bots:
            if bot.process and bot.process.poll() is None:
                bot.end()
            log = bot.log_path.read_text() if bot.log_path.exists() else ""
            for secret in (stand_in.client_secret, *stand_in.tokens):
                self.assertNotIn(secret, log)
            stand_in.close()

    def run_bot(self, faults=None, policy=None, **settings):
        stand_in = StandIn(faults)
        folder = Path(self.folder.name) / str(len(self.bots))
        folder.mkdir()
        bot = BotProcess(PROGRAM, folder, stand_in, {**QUICK, **(policy or {})}, **settings)
        self.bots.append((bot, stand_in))
        bot.start()
        return bot, stand_in

    def play(self, stand_in, sizes, at_once=8, seconds=300, may_stop=lambda game: False):
        """Plays a game for each size, `at_once` at a time; returns the games. One that `may_stop` need not end."""

        def play(numbered):
            number, size = numbered
            while not stand_in.challenge(size):
                time.sleep(0.1)  # The bot was being restarted.
            game = stand_in.start(size, "bw"[number % 2])
            end = time.monotonic() + seconds
            while not game.over.wait(5) and not may_stop(game):
                text = f"the game {game.id} stands still after {len(game.moves)} moves"
                self.assertLess(time.monotonic(), end, text)
            return game

        with ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(play, enumerate(sizes)))

    def check_games(self, games, bot, faults):
        """Each move came exactly once, but for those that the bot could not know to be made."""
        surplus = 0
        found = {}
        for line in bot.log():
            if line["event"] == "move found":
                found.setdefault((line["game"], line["plies"]), set()).add(line["move"])
        for game in games:
            mine = range(0 if game.bot == "b" else 1, len(game.moves), 2)
            self.assertIsNotNone(game.winner())
            self.assertEqual(sorted(game.arrivals)[: len(mine)], list(mine))
            for ply in mine:
                self.assertIn(game.moves[ply], found[game.id, ply], f"{game.id} at {ply}")
            for ply, text, reason in game.refused:
                # Sent once more when the other player had already answered it.
                is_late = ply >= 2 and text == game.moves[ply - 2]
                self.assertTrue(reason != "illegal" or is_late, f"{game.id}: {text} at {ply}")
            surplus += len(game.refused)
        unknown = faults.happened["broken_after"] + faults.happened["hang_up_after"] + 8 * bot.restarts
        self.assertLessEqual(surplus, unknown)

    def check_winner(self, stand_in, game):
        """The engine reads the published game and sees the same winner as the stand-in's own rules."""
        record = Path(self.folder.name) / "game.json"
        record.write_text(json.dumps(stand_in.publish(game)))
        commands = f"loadsgf {record}\nfinal_score\nquit\n"
        done = subprocess.run(
            [PROGRAM], input=commands, env=environment(), capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.stdout.split("= ")[2][:2], f"{game.winner().upper()}+", done.stdout)

    def test_whole_games_on_every_board(self):
        faults = Faults(1, **TROUBLE)
        bot, stand_in = self.run_bot(faults)
        games = self.play(stand_in, [*BOARDS] * 2)
        self.check_games(games, bot, faults)
        self.assertEqual([game.winner() for game in games], [game.bot for game in games])
        for game in games:
            self.check_winner(stand_in, game)
        health = stand_in.get("/healthz")[1]
        self.assertEqual((health["challenges"], health["failures"]), (8, 0))
        log = bot.log()
        self.assertEqual(sum(line["event"] == "challenge accepted" for line in log), 8)
        self.assertFalse([line for line in log if line["event"] == "turn lost"])

    def test_a_kill_at_any_moment_loses_no_turn(self):
        faults = Faults(2, **TROUBLE)
        bot, stand_in = self.run_bot(faults)
        chance, over = random.Random(3), threading.Event()

        def kill():
            while not over.wait(chance.uniform(0.5, 2.0)):
                bot.kill()

        def lost():
            """Turns that ended around a second kill, without an answer: the bot cannot know what became of the move."""
            lines = [line for line in bot.log() if line["event"] == "turn lost"]
            unknown = [line for line in lines if "sent once more" in line["reason"] or "killed twice" in line["reason"]]
            self.assertEqual(lines, unknown)
            return lines

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            stopped = lambda game: any(line["game"] == game.id for line in lost())
            games = self.play(stand_in, [7] * GAMES, may_stop=stopped)
        finally:
            over.set()
            killer.join()
        self.assertGreater(bot.restarts, 2)
        self.assertLessEqual(len(lost()), GAMES // 20)
        games = [game for game in games if game.winner()]
        for game in games[:20]:
            self.check_winner(stand_in, game)
        self.check_games(games, bot, faults)
        print(f"{GAMES} games, {bot.restarts} kills, faults {faults.happened}", flush=True)

    def test_requests_that_the_server_did_not_sign_are_refused(self):
        _, stand_in = self.run_bot()
        game = stand_in.start(7)
        self.assertTrue(game.over.wait(60))
        body = stand_in.message(game)
        good = stand_in.signed(body)
        self.assertEqual(stand_in.post(body, good)[0], 202)
        now = time.time()
        forged = StandIn()
        self.addCleanup(forged.close)
        for headers in (
            good,
            stand_in.signed(body, now - 400),
            stand_in.signed(body, now + 400),
            stand_in.signed(body + b" "),
            forged.signed(body),
            {**stand_in.signed(body), "X-Signature": ""},
            {**stand_in.signed(body), "X-Signature-Timestamp": "now"},
            {},
        ):
            self.assertEqual(stand_in.post(body, headers)[0], 401, headers)
        for body in (b"", b"{", b"[]", b'{"verb":"resign"}', b'{"verb":"move"}', b"\xff\xfe", b"[" * 5000):
            self.assertEqual(stand_in.post(body, stand_in.signed(body))[0], 400, body)
        body = b" " * 300_000
        self.assertEqual(stand_in.post(body, stand_in.signed(body))[0], 413)
        self.assertEqual(stand_in.get("/any/path"), (200, {"operational": True}))

    def test_histories_that_cannot_be_are_logged_whole_and_not_answered(self):
        bot, stand_in = self.run_bot()
        game = stand_in.start(11)
        self.assertTrue(game.over.wait(120))
        moves = [move for round in game.rounds() for move in round]
        for other in (moves[:5] + moves[4:5], ["a1"], ["z9"], [7], moves + ["a2"]):
            game.id = game.id[:-1] + "x"
            body = stand_in.message(game, [other])
            self.assertEqual(stand_in.post(body, stand_in.signed(body))[0], 400, other)
            self.assertIn(body.decode(), [line.get("body") for line in bot.log()])
        for change in ({"metaGame": "go"}, {"variants": ["size-13"]}, {"numPlayers": 3}, {"gameid": "../x"}):
            message = {**json.loads(stand_in.message(game, [])), **change}
            body = json.dumps(message).encode()
            self.assertEqual(stand_in.post(body, stand_in.signed(body))[0], 400, change)

    def test_a_policy_decides_about_challenges(self):
        policy = {
            "max_games": 3,
            "boards": [7, 11],
            "min_clock_hours": 24,
            "max_clock_hours": 200,
            "not_players": ["bob"],
        }
        _, stand_in = self.run_bot(policy=policy)
        for size, change in (
            (15, {}),
            (9, {}),
            (7, {"clockStart": 12}),
            (7, {"clockMax": 201}),
            (7, {"challengers": ["ann", "bob"]}),
            (7, {"metaGame": "go"}),
            (7, {"variants": ["misere"]}),
            (7, {"numPlayers": 4}),
        ):
            self.assertFalse(stand_in.challenge(size, **change), change)
        self.assertTrue(stand_in.challenge(7) and stand_in.challenge(11) and stand_in.challenge(7))
        self.assertFalse(stand_in.challenge(7))
        # A game takes the place of its challenge, and gives it free at its end.
        game = stand_in.start(7)
        self.assertTrue(game.over.wait(60))
        body = stand_in.message(game)
        self.assertEqual(stand_in.post(body, stand_in.signed(body))[0], 202)
        self.assertEqual(stand_in.get("/healthz")[1]["games"], 2)
        self.assertTrue(stand_in.challenge(7))
        self.assertFalse(stand_in.challenge(7))

    def test_only_some_players(self):
        _, stand_in = self.run_bot(policy={"players": ["ann", "bo"]})
        self.assertTrue(stand_in.challenge(7, challengers=["bo"]))
        self.assertFalse(stand_in.challenge(7, challengers=["ann", "eve"]))

    def test_a_key_that_changes_is_fetched_at_most_once_an_hour(self):
        _, stand_in = self.run_bot(key=False)
        self.assertTrue(stand_in.challenge(7) and stand_in.challenge(7))
        self.assertEqual(stand_in.keys_given, 1)
        stand_in.key = Ed25519PrivateKey.generate()
        self.assertFalse(stand_in.challenge(7) or stand_in.challenge(7))
        self.assertEqual(stand_in.keys_given, 1)

    def test_a_token_is_kept_and_renewed(self):
        _, stand_in = self.run_bot()
        game = stand_in.start(7)
        self.assertTrue(game.over.wait(60))
        self.assertEqual(stand_in.tokens_given, 1)
        # A token that ends within a minute is not used again.
        stand_in.token_life = 61
        stand_in.tokens.clear()
        game = stand_in.start(7)
        self.assertTrue(game.over.wait(60))
        self.assertGreaterEqual(stand_in.tokens_given, 2)

    def test_two_bots_do_not_share_a_state(self):
        bot, _ = self.run_bot()
        command = [PROGRAM, "abstract-play", "--config", bot.config]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(second.returncode, 2)
        self.assertIn("in use by another bot", second.stderr)

    def test_a_secret_that_others_can_read_is_refused(self):
        bot, stand_in = self.run_bot()
        bot.end()
        bot.secret.chmod(stat.S_IRUSR | stat.S_IRGRP)
        command = [PROGRAM, "abstract-play", "--config", bot.config]
        refused = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (2, 1))
        self.assertIn("others can read the secret", refused.stderr)
        self.assertNotIn(stand_in.client_secret, refused.stderr)
        environment = {**os.environ, "TANADA_AP_CLIENT_SECRET": stand_in.client_secret}
        bot.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        self.assertTrue(bot.process.stdout.readline().startswith("listening on"))

    def test_one_message_from_a_file(self):
        bot, stand_in = self.run_bot()
        bot.end()
        game = stand_in.new_game(11)
        body = stand_in.message(game)
        event = bot.folder / "event.json"
        event.write_text(json.dumps({"headers": stand_in.signed(body), "body": body.decode()}))
        command = [PROGRAM, "abstract-play", "--config", bot.config, "--once", event]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {"statusCode": 202, "body": "{}"})
        self.assertGreaterEqual(len(game.moves), 1)


if __name__ == "__main__":
    unittest.main()
