#!/usr/bin/env python3
"""Tests parts of scripts/learn that need no program: the plan, the display and the verdict of a gate.

    python3 scripts/learn/test_parts.py [TEST...]

Needs the packages of scripts/cluster/requirements.txt.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "python")]


class Parts(unittest.TestCase):
    def test_the_window_grows_more_slowly_than_the_games(self):
        import plan

        settings = plan.default()
        self.assertEqual(plan.window(settings, 1000), 1000)
        shares = [plan.window(settings, total) / total for total in (400_000, 10**6, 10**7, 10**8)]
        self.assertEqual(shares[0], 1)
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertEqual(plan.window_rounds(settings, [300_000, 100_000]), [1, 2])
        self.assertEqual(plan.window_rounds(settings, [10**6, 10**6, 10**7]), [3])

    def test_each_board_is_in_one_range_of_sizes(self):
        import plan

        settings = plan.default()
        ranges = plan.ranges(settings)
        self.assertEqual(list(ranges), ["small", "middle", "large"])
        self.assertEqual(sorted(board for boards in ranges.values() for board in boards), sorted(settings["boards"]))
        settings["boards"] = {name: settings["boards"][name] for name in ranges["middle"]}
        self.assertEqual(plan.ranges(settings), {}, "the rounds have fitted them alone")
        settings = plan.default()
        for name in ranges["large"]:
            settings["boards"][name]["pairs"] = 0
        self.assertEqual(list(plan.ranges(settings)), ["small", "middle"], "large ones have no match")
        settings["settings"]["ranges.passes"] = 0
        self.assertEqual(plan.ranges(settings), {})

    def test_the_time_of_the_last_fits_is_estimated(self):
        import plan

        settings = {**plan.default(), "last": 16}
        # By default a window of the 5.2 million positions, eight times, and six times those of a round.
        self.assertAlmostEqual(plan.range_fits(settings), 8 * plan.window(settings, 5.2e6) / (6 * 250_000))
        settings["settings"]["ranges.passes"] = 0
        self.assertEqual(plan.range_fits(settings), 0)

    def test_batches_hold_every_game_once(self):
        import plan

        settings = plan.default()
        for round in (1, 9, 16):
            games = {name: [] for name in settings["boards"]}
            for batch in plan.batches(settings, round):
                games[batch["board"]] += range(batch["first"], batch["first"] + batch["games"])
            for name, total in plan.games(settings, round).items():
                self.assertEqual(sorted(games[name]), list(range(1, total + 1)))

    def test_the_plan_as_a_file_is_the_plan(self):
        import plan

        whole, few = plan.default(), plan.default()
        del few["boards"]["9x9-classic"]
        for each in (whole, few):
            with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
                file.write(plan.toml(each))
                file.flush()
                self.assertEqual(plan.read(file.name), each)
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write("[boards]\n9x9-classic = { share = 0 }\n")
            file.flush()
            self.assertEqual(plan.read(file.name), few)

    def test_only_the_plan_is_shown_without_a_folder(self):
        import plan

        def run(*words):
            command = [sys.executable, "-B", str(ROOT / "scripts/learn"), *words]
            done = subprocess.run(command, capture_output=True, text=True)
            return done.returncode, done.stdout, done.stderr

        self.assertEqual(run("--show-plan"), (0, plan.toml(plan.default()), ""))
        self.assertEqual(run(), (2, "", "learn: there is no FOLDER: expected the folder of the run\n"))

    def test_a_position_has_the_size_of_its_board(self):
        import plan

        for setup, size in [("dense", 9), ("4 b X2O/4/4/O2X", 4), ("10 w X8O/10/10/10/10/10/10/10/10/O8X", 10)]:
            self.assertTrue(plan.is_setup(setup, size), setup)
        shapes = ["4 b X2O/4/4", "4 b X2O/4/4/O3X", "5 b X2O/4/4/O2X"]
        shapes += ["4 b X02O/4/4/O2X", "4 b 0X2O/4/4/O2X", "\u0664 b X2O/4/4/O2X", "4 b 4/4/4/4"]
        for setup in [*shapes, "4 r X2O/4/4/O2X", "4 b X2O/4/4/O2X b", "", 4]:
            self.assertFalse(plan.is_setup(setup, 4), setup)
        for name, board in plan.default()["boards"].items():
            self.assertTrue(plan.is_setup(board["setup"], board["size"]), name)

    def test_a_position_is_brought_as_a_file_and_has_no_openings(self):
        import importlib.util

        import plan
        import tasks

        boards = plan.default()["boards"]
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(tasks.start(folder, "dense"), ["--setup", "dense"])
            flag, path = tasks.start(folder, boards["7x7-unequal"]["setup"])
            self.assertEqual(flag, "--setup")
            self.assertEqual(Path(path).read_text(), boards["7x7-unequal"]["setup"] + "\n")
        spec = importlib.util.spec_from_file_location("learn_main", HERE / "__main__.py")
        main = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(main)
        known = {name for name, board in boards.items() if main.openings(board, 1, 2)}
        self.assertTrue({"7x7-dense", "13x13-classic"} <= known)
        self.assertTrue(known.isdisjoint({"6x6-corners", "7x7-unequal", "13x13-unequal"}))

    def test_the_heading_says_what_follows(self):
        import plan
        from progress import Display

        shown = Display({**plan.default(), "last": 2})
        for part, round, follows in [
            ("play", 1, "fit"), ("fit", 1, "gate"), ("gate", 1, "round 2"), ("gate", 2, "fit for small boards"),
        ]:
            shown.begin(part, [{"round": round}])
            self.assertEqual(shown.heading(), f"Round {round} of 2, {part}, then {follows}")
        for part, name, follows in [
            ("fit", "small", "gate"), ("gate", "small", "fit for middle boards"), ("gate", "large", "the end"),
        ]:
            shown.begin(part, [{"round": 2}], name)
            self.assertEqual(shown.heading(), f"After round 2, {part} for {name} boards, then {follows}")
        shown.plan["boards"] = {"9x9-classic": shown.plan["boards"]["9x9-classic"]}
        shown.begin("gate", [{"round": 2}])
        self.assertEqual(shown.heading(), "Round 2 of 2, gate, then the end")

    def test_the_rest_of_a_run_costs_what_its_last_round_did(self):
        import plan
        from progress import Display

        settings = {**plan.default(), "last": 3}
        settings["settings"] |= {
            "rounds": 3, "play.positions_last": 400_000, "play.iterations_last": 100, "fit.window": 10**7,
            "ranges.passes": 0,
        }
        shown = Display(settings)
        shown.begin("play", [{"round": 1}])
        self.assertIsNone(shown.after(), "no round is over")
        first = {"round": 1, "play": {"wall": 100}, "fit": {"wall": 60}, "gate": {"wall": 30}}
        shown.begin("play", [first, {"round": 2}])
        self.assertAlmostEqual(shown.after(), 60 + 30 + 190)
        shown.begin("gate", [first, {**first, "round": 2}, {"round": 3, "play": {}, "fit": {}}])
        self.assertAlmostEqual(shown.after(), 0)
        # Eight passes over three rounds, where a round's fit makes six over one.
        settings["settings"]["ranges.passes"] = 8
        self.assertAlmostEqual(shown.after(), 4 * 60 + 30)
        shown.begin("fit", [first], "small")
        self.assertIsNone(shown.after())

    def test_each_gate_takes_the_next_openings(self):
        import plan
        from loop import gate_openings

        settings = plan.default()
        board = settings["boards"]["9x9-classic"]
        asked = []
        for round in (1, 2):
            for batch in plan.gate_batches(settings, settings["boards"]):
                if batch["board"] == "9x9-classic":
                    first = gate_openings(settings, board, round, batch["first"])
                    asked += range(first, first + batch["pairs"])
        self.assertEqual(sorted(asked), list(range(1, 2 * plan.pairs(settings, board) + 1)))

    def test_the_gate_asks_for_a_slight_lead(self):
        import elo
        import plan

        rule = plan.of(plan.default(), "gate")
        even = [10, 0, 40, 0, 10]
        better = [5, 0, 40, 0, 25]
        lost = [30, 0, 10, 0, 2]
        self.assertTrue(elo.verdict(rule, {"a": better, "b": even})["accepted"])
        self.assertFalse(elo.verdict(rule, {"a": even, "b": even})["accepted"])
        verdict = elo.verdict(rule, {"a": [0, 0, 20, 0, 200], "b": lost})
        self.assertEqual((verdict["accepted"], list(verdict["worse"])), (False, ["b"]))
        few = [3, 0, 1, 0, 0]
        self.assertFalse(elo.verdict(rule, {"a": better, "b": few})["accepted"])
        others = {f"board {number}": better for number in range(14)}
        self.assertTrue(elo.verdict(rule, {**others, "b": few})["accepted"], "one of many boards may be unlucky")
        self.assertFalse(elo.verdict(rule, {**others, "b": lost})["accepted"])
        low, middle, high = elo.interval([0, 0, 0, 0, 5], 1)
        self.assertTrue(low < middle < high)


if __name__ == "__main__":
    if not {"-h", "--help"}.isdisjoint(sys.argv):
        print(__doc__)
    unittest.main()
