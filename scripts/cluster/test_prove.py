#!/usr/bin/env python3
"""Tests scripts/cluster/prove.py: whatever happens to workers, a proof ends with the right winner and a sound log.

    python3 scripts/cluster/test_prove.py [TEST...]

Needs the packages of scripts/cluster/requirements.txt. TANADA_BIN names the program [target/release/tanada].
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from test_match import TANADA, is_brought, main, wait_for

SCRIPT = Path(__file__).resolve().parent / "prove.py"
# A few positions of the first proof are solved by jobs, some dozens of the second one; White wins that.
SMALL = ["--size", "5", "--setup", "corners", "--nodes", "8000", "--iterations", "20"]
LONGER = ["--size", "6", "--setup", "corners", "--nodes", "500000", "--iterations", "20"]


class ClusterProof(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.folder = self.place / "proof"

    def start(self, flags, *more, cluster=("--workers", "2"), tanada=TANADA):
        command = [sys.executable, str(SCRIPT), str(self.folder), *cluster, "--tanada", str(tanada)]
        command += ["--memory-per-job", "64", "--json", *more, *flags]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        return json.loads(out)

    def results(self):
        """The positions in the log with a winner."""
        log = self.folder / "results.log"
        lines = log.read_text().split("\n")[1:-1] if log.exists() else []
        return [line.rsplit(" ", 3)[0] for line in lines if line.rsplit(" ", 3)[1] in ("b", "w")]

    def assert_proved(self, report, winner):
        """This colour wins, each result is there once, and another run finds it in the log."""
        self.assertEqual(report["winner"], winner)
        results = self.results()
        self.assertEqual(len(results), len(set(results)))
        again = subprocess.run([TANADA, "prove", str(self.folder), "--json"], stdout=subprocess.PIPE, check=True)
        again = json.loads(again.stdout)
        self.assertEqual((again["winner"], again["searched"]), (winner, 0))

    def solvers(self, process):
        """The programs that solve positions on workers, with their guards and workers."""
        import psutil

        found = []
        for child in psutil.Process(process.pid).children(recursive=True):
            try:
                if child.cmdline()[1:2] == ["solve"] and is_brought(child):
                    found.append((child, child.parent(), child.parent().parent()))
            except (psutil.Error, AttributeError):
                pass
        return found

    def test_a_small_board_is_proved(self):
        report = self.finish(self.start(SMALL))
        self.assertGreater(report["searched"], 0)
        self.assert_proved(report, "black")
        # What is known needs no cluster.
        path = self.place / "five.cert"
        again = self.start([], "--certificate", str(path), cluster=("--scheduler", "tcp://127.0.0.1:1"))
        self.assertEqual(self.finish(again)["certificate"]["bytes"], path.stat().st_size)
        subprocess.run([TANADA, "verify", str(path)], stdout=subprocess.DEVNULL, check=True)
        small = self.place / "small.cert"
        options = ("--certificate", str(small), "--endings", "50")
        again = self.finish(self.start([], *options, cluster=("--scheduler", "tcp://127.0.0.1:1")))
        self.assertGreater(again["certificate"]["endings"], 0)
        self.assertLess(small.stat().st_size, path.stat().st_size)

    def test_killed_workers_cost_nothing_but_time(self):
        process = self.start(LONGER)
        for kill in range(3):
            least = 3 * kill

            def running():
                return self.solvers(process) if len(self.results()) >= least else None

            solver, guard, worker = wait_for(running, 120, "a job in a worker")[0]
            self.assertNotEqual(worker.pid, process.pid)
            os.kill(worker.pid, signal.SIGKILL)
            # The program of the killed worker must end too.
            wait_for(lambda: not (solver.is_running() or guard.is_running()), 20, "the end of the program")
        self.assert_proved(self.finish(process), "white")

    def test_an_interrupted_proof_continues(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start(LONGER)
            found = wait_for(lambda: self.solvers(process), 120, "a job in a worker")
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            self.assertEqual(
                (process.returncode, "interrupted; the same command continues" in err), (status, True), err
            )
            self.assertNotIn("Traceback", err)
            wait_for(lambda: not any(program.is_running() for program, _, _ in found), 20, "the end of the programs")
        self.assert_proved(self.finish(self.start(LONGER)), "white")

    def test_a_program_that_does_not_end_is_killed(self):
        import prove

        proof = prove.Proof.__new__(prove.Proof)
        proof.tasks = mock.Mock()
        proof.process = subprocess.Popen(["sleep", "60"], stdin=subprocess.PIPE)
        self.addCleanup(proof.process.kill)
        with mock.patch.object(prove, "PATIENCE", 0.1):
            proof.end()
        self.assertEqual(proof.process.wait(10), -signal.SIGKILL)

    def test_a_scheduler_is_found_by_its_address(self):
        from distributed import LocalCluster

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
            report = self.finish(self.start(SMALL, cluster=("--scheduler", cluster.scheduler_address)))
        self.assert_proved(report, "black")

    def test_a_program_that_says_something_else_is_reported(self):
        program = self.place / "tanada"
        for said, part in [
            ("echo hello", "`hello` is no answer"),
            ("echo '{\"winner\": \"red\", \"nodes\": 5}'", "is no answer"),
            ("echo a flood >&2; exit 1", "a flood"),
        ]:
            program.write_text(f'#!/bin/sh\nif [ "$1" = solve ]; then {said}; else exec {TANADA} "$@"; fi\n')
            program.chmod(0o755)
            process = self.start(SMALL, tanada=program)
            _, err = process.communicate(timeout=120)
            self.assertEqual((process.returncode, part in err), (1, True), err)
            self.assertIn("failed 5 times: ", err)
            self.assertIn(" is lost: ", err)
            self.assertNotIn("Traceback", err)
        self.assert_proved(self.finish(self.start(SMALL)), "black")

    def test_what_cannot_be_proved_is_one_sentence(self):
        for flags, part in [
            (["--size", "13"], "the solver needs at most 10x10"),
            ([*SMALL, "--delegate", "3"], "unexpected argument `--delegate`"),
            ([*SMALL, "--scheduler", "tcp://127.0.0.1:1"], "exclude each other"),
            ([*SMALL, "--memory-per-job", "0"], "invalid value `0` for `--memory-per-job`"),
        ]:
            process = self.start(flags)
            _, err = process.communicate(timeout=120)
            self.assertEqual((process.returncode, part in err), (2, True), err)
            self.assertNotIn("Traceback", err)


if __name__ == "__main__":
    main(__doc__)
