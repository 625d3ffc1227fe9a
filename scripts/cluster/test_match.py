#!/usr/bin/env python3
"""Tests scripts/cluster/match.py: with fixed iterations, a cluster must play the same games as a local run.

    python3 scripts/cluster/test_match.py [TEST...]

Needs the packages of scripts/cluster/requirements.txt. TANADA_BIN names the program [target/release/tanada].
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/cluster/match.py"
TANADA = os.environ.get("TANADA_BIN") or str(ROOT / "target" / "release" / "tanada")
SMALL = ["--size", "5", "--pairs", "6", "--engine", "name=a,iterations=40", "--engine", "name=b,preset=uct,iterations=40"]
# A game takes a few tenths of a second.
LONGER = ["--size", "9", "--pairs", "6", "--engine", "name=a,iterations=700", "--engine", "name=b,iterations=600"]


def local(folder, flags):
    command = [TANADA, "match", *flags, "--records", folder, "--rating-interval", "0", "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout)


def cluster(folder, flags, *more, env=None):
    command = [sys.executable, str(SCRIPT), "--records", folder, "--workers", "2", "--tanada", TANADA, "--json"]
    return subprocess.Popen(
        [*command, *more, *flags], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def journal(folder):
    return [json.loads(line) for line in Path(folder, "games.jsonl").read_text().splitlines()]


def games(folder):
    """The parts of the records that two runs of a match must share."""
    return [
        (
            record["game"],
            [player["name"] for player in record["players"]],
            [player["seed"] for player in record["players"]],
            [(move["vertex"], move.get("value"), move.get("visits")) for move in record["moves"]],
            record["winner"],
            record["end"],
        )
        for record in journal(folder)
    ]


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen in {seconds} s")


def is_brought(process):
    """Whether a process runs the copy of the program that was brought to the workers."""
    return Path(process.exe()).parent.name == hashlib.sha256(Path(TANADA).read_bytes()).hexdigest()


class ClusterMatch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.local, self.cluster = os.path.join(folder.name, "local"), os.path.join(folder.name, "cluster")

    def finish(self, process):
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        return json.loads(out), err

    def assert_alike(self):
        self.assertEqual(games(self.cluster), games(self.local))
        for record in journal(self.local):
            self.assertTrue(Path(self.cluster, "games", f"{record['game']:06}.sgf").exists())

    def test_the_games_are_those_of_a_local_run_and_resume_plays_the_rest(self):
        expected = local(self.local, SMALL)
        report, _ = self.finish(cluster(self.cluster, SMALL))
        self.assertEqual(report["meetings"], expected["meetings"])
        self.assert_alike()
        # Another runner may hold the lock already, so the file stays.
        self.assertTrue(Path(self.cluster, "cluster.lock").exists())
        # A folder with a match is refused without --resume.
        again = cluster(self.cluster, SMALL)
        _, err = again.communicate(timeout=60)
        self.assertEqual((again.returncode, "--resume" in err), (2, True), err)
        # Stopped in the middle of a line: complete games are not played again.
        path = Path(self.cluster, "games.jsonl")
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:5]) + lines[5][:70])
        kept = [record["started"] for record in journal_of(lines[:4])]
        _, err = self.finish(cluster(self.cluster, SMALL, "--resume"))
        self.assertEqual(err.count("Finished pair"), 4, err)
        self.assertEqual([record["started"] for record in journal(self.cluster)][:4], kept)
        self.assert_alike()

    def test_more_pairs_need_no_engines_named(self):
        local(self.local, SMALL)
        self.finish(cluster(self.cluster, ["2" if flag == "6" else flag for flag in SMALL]))
        _, err = self.finish(cluster(self.cluster, [], "--resume", "--pairs", "6"))
        self.assertEqual(err.count("Finished pair"), 4, err)
        self.assert_alike()

    def test_a_decided_test_ends_the_match(self):
        flags = ["--size", "5", "--pairs", "200", "--sprt", "elo0=0 elo1=100", "--iterations", "30"]
        flags += ["--engine", "name=a", "--engine", "name=b,preset=uct"]
        expected = local(self.local, flags)
        report, _ = self.finish(cluster(self.cluster, flags))
        self.assertEqual((report["sprt"], report["games"]), (expected["sprt"], expected["games"]))
        self.assertEqual(report["sprt"]["decision"], "H1")
        self.assertLess(report["games"], 400)
        self.assert_alike()

    def test_a_killed_worker_costs_nothing_but_time(self):
        import psutil

        local(self.local, LONGER)
        process = cluster(self.cluster, LONGER)
        master = psutil.Process(process.pid)

        def running_match():
            if not Path(self.cluster, "games.jsonl").exists() or len(journal(self.cluster)) < 2:
                return None
            for child in master.children(recursive=True):
                try:
                    if "--unit" in child.cmdline() and is_brought(child):
                        guard = child.parent()
                        return child, guard, guard.parent()
                except (psutil.Error, AttributeError):
                    pass
            return None

        match, guard, worker = wait_for(running_match, 120, "a pair in a worker")
        self.assertNotEqual(worker.pid, process.pid)
        os.kill(worker.pid, signal.SIGKILL)
        # The match of the killed worker must end too.
        wait_for(lambda: not (match.is_running() or guard.is_running()), 20, "the end of the killed worker's match")
        self.finish(process)
        self.assert_alike()

    def test_a_terminated_match_leaves_nothing_behind(self):
        import psutil

        scratch = Path(os.path.dirname(self.cluster), "scratch")
        process = cluster(self.cluster, LONGER, env={**os.environ, "DASK_TEMPORARY_DIRECTORY": str(scratch)})
        self.addCleanup(process.kill)
        wait_for(lambda: Path(self.cluster, "games.jsonl").exists() and journal(self.cluster), 120, "a game")
        children = psutil.Process(process.pid).children(recursive=True)
        self.assertTrue(list(scratch.glob("*/tanada/*")))
        process.terminate()
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, "interrupted; `--resume` continues" in err), (143, True), err)
        self.assertNotIn("Traceback", err)
        wait_for(lambda: not any(child.is_running() for child in children), 20, "the end of the workers")
        self.assertEqual(list(scratch.glob("*/tanada/*")), [])

    def crashing(self):
        """A match whose second engine crashes once, at its third move."""
        once = os.path.join(os.path.dirname(self.cluster), "once")
        faulty = f"sh {ROOT}/tests/data/engines/faulty.sh crash 3 {TANADA} gtp --threads 1"
        flags = ["--size", "5", "--pairs", "2", "--time-per-move", "0.02", "--engine", "name=good,margin=2"]
        return [*flags, "--engine", f"name=faulty,command={faulty},env.ONCE={once},margin=2"]

    def crashes(self):
        ends = [(record["game"], record["end"]["kind"], record["started"]) for record in journal(self.cluster)]
        return [(game, started) for game, kind, started in ends if kind == "crash"]

    def test_a_crash_stops_the_match_and_stays_a_loss(self):
        process = cluster(self.cluster, self.crashing(), "--workers", "1")
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, err)
        self.assertRegex(err, r"(?m)^tanada: game 1: .*the match stops \(`--recover` restarts the engine\)")
        self.assertNotIn("played again", err)
        lost = self.crashes()
        self.assertEqual([game for game, _ in lost], [1])
        # Resuming continues with the next game.
        report, _ = self.finish(cluster(self.cluster, self.crashing(), "--workers", "1", "--resume"))
        self.assertEqual((report["games"], self.crashes()), (4, lost))
        self.assertEqual(report["engines"][1]["to_blame"], {"crash": 1})

    def test_a_match_that_recovers_goes_on_after_a_crash(self):
        file = Path(os.path.dirname(self.cluster), "recover.toml")
        file.write_text("recover = true\n")
        for more in (["--recover"], ["--config", str(file)]):
            report, err = self.finish(cluster(self.cluster, self.crashing(), "--workers", "1", *more))
            self.assertEqual((report["games"], [game for game, _ in self.crashes()]), (4, [1]), err)
            Path(os.path.dirname(self.cluster), "once").unlink()
            self.cluster += "-by-file"

    def test_what_cannot_be_played_is_one_sentence(self):
        for flags, code, part in [
            (["--speed", "3"], 2, "--speed"),
            ([*SMALL, "--unit", "3"], 2, "unexpected argument `--unit`"),
            (["--size", "5"], 2, "no match"),
            ([*SMALL, "--engine", "name=c,command=/nowhere/at/all"], 1, "/nowhere/at/all"),
        ]:
            process = cluster(self.cluster, flags)
            _, err = process.communicate(timeout=120)
            self.assertEqual((process.returncode, part in err), (code, True), err)
            self.assertNotIn("Traceback", err)


def journal_of(lines):
    return [json.loads(line) for line in lines]


def main(document):
    """Runs the tests of a script, if it has what they need; `document` is its description."""
    if not {"-h", "--help"}.isdisjoint(sys.argv):
        print(document)
        unittest.main()
    name = Path(sys.argv[0]).name
    try:
        import distributed  # noqa: F401
    except ImportError:
        sys.exit(f"{name}: packages are missing; pip install -r scripts/cluster/requirements.txt")
    if not os.access(TANADA, os.X_OK):
        sys.exit(f"{name}: there is no program `{TANADA}`; run `cargo build --release`")
    unittest.main()


if __name__ == "__main__":
    main(__doc__)
