#!/usr/bin/env python3
"""Tests scripts/learn: a run that is killed anywhere must go on and end like an undisturbed one.

    python3 scripts/learn/test_learn.py [TEST...]

Needs the packages of scripts/cluster/requirements.txt. TANADA_BIN names the program [target/release/tanada]. The loop
is tested with a fit that takes no time; test_fit.py tests the fit, and test_parts.py the plan and the display.
"""

import copy
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "python")]
TANADA = os.environ.get("TANADA_BIN") or str(ROOT / "target/release/tanada")

FAST = "iterations_first = 20, iterations_last = 40, batch_seconds = 0.003"
PLAN = f"""
default_boards = false
rounds = 2
play = {{ positions_first = 240, positions_last = 300, {FAST} }}
gate = {{ iterations = 20, batch_pairs = 2, worst_board = -1000 }}
[boards]
"7x7-dense" = {{ pairs = 3, plies = 4 }}
"6x6-corners" = {{ share = 0.3, pairs = 4, plies = 4 }}
"7x7-unequal" = {{ pairs = 2, plies = 3 }}
"10x10-corners" = {{ share = 0.05, pairs = 2, plies = 4 }}
"""

# A fit that hashes its input: it writes the embedded network with a comment that tells the difference.
FAKE_FIT = """
import hashlib, json, sys, time
from pathlib import Path
pause, job, out = float(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
shape = {name: value for name, value in job.items() if name not in ("samples", "start", "text", "threads", "device")}
total = hashlib.sha256(json.dumps(shape).encode())
for file in job["samples"]:
    total.update(Path(file["path"]).read_bytes())
print(json.dumps({"kind": "network", "step": 1, "steps": job["steps"], "loss": 1.0}), flush=True)
time.sleep(pause)
text = Path(@EMBEDDED@).read_text()
(out / "network.pt").touch()
(out / "network.txt").write_text(text + "# " + total.hexdigest() + "\\n")
losses = {"6x6": {"result": 0.5, "search": 0.4, "moves": 0.6}}
result = {"steps": job["steps"], "losses": losses, "cpu": 1.0, "wall": 1.0}
(out / "network.json").write_text(json.dumps(result))
""".replace("@EMBEDDED@", repr(str(ROOT / "src/tanbo/network/small.txt")))


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.01)
    raise AssertionError(f"{what} did not happen in {seconds} s")


def without_times(value):
    """A state without what no two runs share."""
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items() if name not in ("cpu", "wall", "spent")}
    return [without_times(part) for part in value] if isinstance(value, list) else value


class Run(unittest.TestCase):
    """A folder with a plan, and runs in it."""

    def setUp(self):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        self.base = Path(own.name)
        self.plan = self.base / "plan.toml"
        self.plan.write_text(PLAN)
        (self.base / "fit.py").write_text(FAKE_FIT)

    def start(self, name, *more, pause="0", scheduler=None, program=TANADA):
        """Starts a run with the fake fit, which takes `pause` seconds. Without a program, TANADA_BIN names it."""
        fit = [sys.executable, str(self.base / "fit.py")]
        driver = (
            f"import sys; sys.path.insert(0, {str(HERE)!r}); sys.argv[0] = {str(HERE)!r}\n"
            "import importlib.util as u\n"
            f"spec = u.spec_from_file_location('learn_main', {str(HERE / '__main__.py')!r})\n"
            "made = u.module_from_spec(spec); spec.loader.exec_module(made)\n"
            "if __name__ == '__main__':\n"
            "    separate = sys.argv.index('--')\n"
            "    sys.exit(made.main(sys.argv[1:separate], fit=sys.argv[separate + 1:]))\n"
        )
        path = self.base / "driver.py"
        path.write_text(driver)
        command = [sys.executable, str(path), str(self.base / name), "--plan", str(self.plan)]
        command += [] if program is None else ["--tanada", program]
        command += ["--workers", "2"] if scheduler is None else ["--scheduler", scheduler]
        command += ["--threads", "1", "--nice", "10", *more, "--", *fit, pause]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.communicate()))
        return process

    def finish(self, process, code=0):
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def state(self, name):
        return json.loads((self.base / name / "state.json").read_text())

    def files(self, name, *kinds):
        folder = self.base / name
        return {
            str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for kind in kinds
            for path in sorted((folder / kind).rglob("*.*"))
        }

    def assert_alike(self, first, second):
        kinds = ("games", "networks", "refused")
        self.assertEqual(self.files(first, *kinds), self.files(second, *kinds))
        self.assertEqual(without_times(self.state(first)), without_times(self.state(second)))


class Loop(Run):
    def kill_during(self, name, condition, pause="0"):
        """Kills the driver when the condition holds; everything that it started must end too."""
        import psutil

        process = self.start(name, pause=pause)
        try:
            wait_for(lambda: condition() or process.poll() is not None, 120, "the moment to kill")
            self.assertIsNone(process.poll(), "the run ended before the moment to kill")
            children = psutil.Process(process.pid).children(recursive=True)
        finally:
            process.kill()
            process.communicate()
        gone = lambda: not any(child.is_running() and child.status() != "zombie" for child in children)
        wait_for(gone, 30, "the end of what the killed run started")

    def journal(self, name):
        path = self.base / name / "journal.jsonl"
        return path.read_text().splitlines() if path.exists() else []

    def count(self, name, part):
        return sum(f'"part": "{part}"' in line for line in self.journal(name))

    def test_a_killed_run_ends_like_an_undisturbed_one(self):
        self.finish(self.start("whole"))
        state = self.state("whole")
        self.assertEqual([record["round"] for record in state["rounds"]], [1, 2])
        self.assertTrue((self.base / "whole/report/costs.md").read_text().startswith("| round |"))
        self.kill_during("killed", lambda: self.count("killed", "play") >= 2)
        # An incomplete line and a damaged file are as if they had not been written.
        with open(self.base / "killed/journal.jsonl", "a") as journal:
            journal.write('{"part": "play", "rou')
        games = next((self.base / "killed/games").rglob("*.gz"))
        games.write_bytes(games.read_bytes()[:-1])
        fitting = lambda: (self.base / "killed/fit/001/network-job.json").exists()
        self.kill_during("killed", fitting, pause="60")
        # So are damaged samples, which the fit reads again.
        samples = next((self.base / "killed/samples").rglob("*.samples"))
        samples.write_bytes(samples.read_bytes()[:-1] + b"\xff")
        self.kill_during("killed", lambda: self.count("killed", "gate") >= 1)
        self.kill_during("killed", lambda: self.count("killed", "small") >= 1)
        fitting_range = lambda: (self.base / "killed/fit/002-middle/network-job.json").exists()
        self.kill_during("killed", fitting_range, pause="60")
        self.finish(self.start("killed"))
        self.assert_alike("whole", "killed")
        before = self.journal("killed")
        self.finish(self.start("killed"))
        self.assertEqual(self.journal("killed"), before)
        # After the last round it goes on if asked to.
        self.finish(self.start("killed", "--rounds", "3"))
        rounds = self.state("killed")["rounds"]
        self.assertEqual([record["play"]["iterations"] for record in rounds], [20, 40, 40])
        ranges = self.state("killed")["ranges"]
        self.assertEqual({name: record["round"] for name, record in ranges.items()}, {"small": 3, "middle": 3})

    def test_each_range_of_sizes_gets_a_network(self):
        self.finish(self.start("run", "--rounds", "1"))
        # An older run without these settings is bound to them when it goes on.
        state = self.state("run")
        del state["settings"]["plan"]["ranges.passes"], state["settings"]["plan"]["ranges.rate"], state["ranges"]
        (self.base / "run/state.json").write_text(json.dumps(state))
        out, _ = self.finish(self.start("run"))
        state = self.state("run")
        self.assertEqual(state["settings"]["plan"]["ranges.passes"], 8)
        played = [record["play"]["boards"] for record in state["rounds"]]
        for name, boards in {"small": ["6x6-corners", "7x7-dense", "7x7-unequal"], "middle": ["10x10-corners"]}.items():
            job = json.loads((self.base / f"run/fit/002-{name}/network-job.json").read_text())
            self.assertEqual(sorted({file["board"] for file in job["samples"]}), boards)
            self.assertEqual({file["round"] for file in job["samples"]}, {1, 2})
            self.assertEqual((job["start"], job["rate"]), (str(self.base / "run/fit/002/network.pt"), 1e-3))
            positions = sum(each[board]["positions"] for each in played for board in boards)
            self.assertEqual(job["steps"], max(1, int(positions * 8 / 256 + 0.5)))
            gate = state["ranges"][name]["gate"]
            self.assertEqual(sorted(gate["pairs"]), boards)
            path = self.base / "run" / ("networks" if gate["accepted"] else "refused") / f"002-{name}.txt"
            self.assertEqual(path.read_bytes(), (self.base / f"run/fit/002-{name}/network.txt").read_bytes())
            self.assertEqual(str(path) in out, gate["accepted"])
            self.assertIn(f"| 2, {name} boards | ", (self.base / "run/report/costs.md").read_text())

    def test_a_new_build_does_not_change_a_run(self):
        built = self.base / "built"
        built.write_bytes(Path(TANADA).read_bytes())
        built.chmod(0o755)
        environment = unittest.mock.patch.dict(os.environ, TANADA_BIN=str(built))
        environment.start()
        self.addCleanup(environment.stop)
        process = self.start("run", pause="60", program=None)
        wait_for(lambda: (self.base / "run/fit/001/network-job.json").exists(), 120, "the fit")
        process.kill()
        process.communicate()
        built.write_text("another build")
        self.finish(self.start("run", program=None))
        # A damaged copy is no program of the run; the right one repairs it.
        (self.base / "run/tanada").write_text("damaged")
        _, err = self.finish(self.start("run", program=None), 2)
        self.assertIn("program: ", err)
        self.finish(self.start("run"))
        self.assertEqual((self.base / "run/tanada").read_bytes(), Path(TANADA).read_bytes())
        _, err = self.finish(self.start("run", program=str(built)), 2)
        self.assertIn("program: ", err)

    def longer_batches(self, iterations=2000):
        """Makes batches take long enough to be seen."""
        slow = f"iterations_first = {iterations}, iterations_last = {iterations}, batch_seconds = 0.5"
        self.plan.write_text(PLAN.replace(FAST, slow))

    def playing(self, pid):
        """A batch of games below a process, once there is one: the program and its worker."""
        import psutil

        def look():
            try:
                for child in psutil.Process(pid).children(recursive=True):
                    words = child.cmdline()
                    # The guard has these words too, and a game of the trial has no quick searches.
                    if "--quick-iterations" in words and "-c" not in words:
                        return child, child.parent().parent()
            except (psutil.Error, AttributeError):
                pass
            return None

        return wait_for(look, 120, "a batch in a worker")

    def test_a_killed_worker_costs_its_batch(self):
        self.longer_batches()
        self.finish(self.start("whole"))
        process = self.start("worker")
        _, worker = self.playing(process.pid)
        self.assertNotEqual(worker.pid, process.pid)
        worker.kill()
        self.finish(process)
        self.assert_alike("whole", "worker")

    def test_machines_without_this_tree_play_the_same_games(self):
        self.finish(self.start("whole"))
        script = (
            "import sys, distributed\n"
            "if __name__ == '__main__':\n"
            "    made = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)\n"
            "    print(made.scheduler_address, flush=True)\n"
            "    sys.stdin.read()\n"
            "    made.close()\n"
        )
        path = self.base / "machines.py"
        path.write_text(script)
        with subprocess.Popen(
            [sys.executable, str(path)], cwd="/", text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as machines:
            address = machines.stdout.readline().strip()
            self.finish(self.start("far", scheduler=address))
            # The machines outlive a run, and do not go on with it.
            self.longer_batches(10**6)
            stopped = self.start("stopped", scheduler=address)
            program, worker = self.playing(machines.pid)
            stopped.send_signal(signal.SIGINT)
            self.finish(stopped, 130)
            wait_for(lambda: not program.is_running(), 20, "the end of the batch")
            self.assertTrue(worker.is_running())
            machines.stdin.close()
        self.assert_alike("whole", "far")

    def test_what_cannot_be_done_is_one_sentence(self):
        shape = "network 16 channels 3 blocks"
        torn = self.base / "torn.txt"
        torn.write_text(shape + "\nnumbers 1 2 3\n")
        for more, part in [
            (["--workers", "0"], "invalid value `0`"),
            (["--from", "/nowhere/at/all"], "cannot read `/nowhere/at/all`"),
            (["--from", str(self.plan)], f"begins with `default_boards = false`: expected `{shape}`"),
            (["--seed", "0" * 30], "invalid value `" + "0" * 30 + "`"),
            (["--workers", "2", "--scheduler", "tcp://x:1"], "exclude each other"),
            (["--from", str(torn)], "the program cannot play on the board `7x7-dense`: "),
            (["--tanada", shutil.which("false")], "the program cannot play on the board `7x7-dense`: "),
            (["--tanada", shutil.which("true")], "the program cannot play on the board `7x7-dense`: "),
        ]:
            _, err = self.finish(self.start("refused", *more), 2)
            self.assertIn(part, err)
            self.assertNotIn("Traceback", err)
        for text, part in [
            ("default_boards = 1", "invalid value `1` for `default_boards`: expected `true` or `false`"),
            ("default_boards = false", "no board has a share"),
            ("default_boards = false\n[boards]\n6x6-corners = { share = 0 }", "no board has a share"),
            ("rounds = 0", "invalid value `0` for `rounds`: expected a whole number from 1 to 9999"),
            ("round = 3", "unknown setting `round`"),
            ("[fit]\nchannels = 32", "unknown setting `fit.channels`"),
            ("[play]\nquick = 'x'", "invalid value `x` for `play.quick`"),
            ("[boards.mine]\nsize = 9", "`boards.mine` lacks `setup`"),
            ("[boards]\n9x9-classic.setup = 'dens'", "invalid value `dens` for `boards.9x9-classic.setup`"),
            ("[boards]\n9x9-classic.setup = '4 b X2O/4/4/O2X'", "or a position of 9 rows in one line, such as"),
            ("rounds = ", "is not a TOML file"),
            ("rounds = " + "9" * 5000, "has a number of too many digits"),
            ("rounds = 0x" + "9" * 5000, "invalid value `a number of more than 4,300 digits` for `rounds`"),
            ("rounds = " + "[" * 5000, "is nested too deeply for a plan"),
            ("a." * 3000 + "b = 1", "is nested too deeply for a plan"),
            ("[boards]\n9x9-classic.size." + "a." * 3000 + "b = 1", "is nested too deeply for a plan"),
            ("[boards]\n9x9-classic.plies = 1000", "cannot play on the board `9x9-classic`: "),
            ("rounds = '" + "x" * 5000 + "'", "invalid value `" + "x" * 100 + "…` for `rounds`"),
            ("[boards]\n9x9-classic.size = 8", "cannot play on the board `9x9-classic`: the setup `classic` has"),
        ]:
            self.plan.write_text(text)
            _, err = self.finish(self.start("refused"), 2)
            self.assertIn(part, err)
            self.assertNotIn("Traceback", err)
        # None of these has bound the folder to its settings.
        self.assertEqual([path.name for path in (self.base / "refused").iterdir()], ["lock"])

    def test_other_settings_and_a_second_run_are_refused(self):
        process = self.start("run", pause="60")
        wait_for(lambda: (self.base / "run/fit/001/network-job.json").exists(), 120, "the fit")
        _, err = self.finish(self.start("run"), 2)
        self.assertIn("is in use by another run", err)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, "the same command continues" in err), (130, True), err)
        _, err = self.finish(self.start("run", "--seed", "2"), 2)
        self.assertIn("seed: `1` then, `2` now", err)

    def test_what_a_run_rests_on_is_missed(self):
        def refused(part):
            _, err = self.finish(self.start("run"), 1)
            self.assertIn(part + "; restore it from a copy, or use another folder", err)
            self.assertNotIn("the same command continues", err)

        process = self.start("run", pause="60")
        wait_for(lambda: (self.base / "run/fit/001/network-job.json").exists(), 120, "the fit")
        process.kill()
        process.communicate()
        shutil.rmtree(self.base / "run/samples")
        games = next((self.base / "run/games").rglob("*.gz"))
        kept = games.read_bytes()
        games.write_bytes(kept[:-1])
        refused(f"`{games}` is missing or not what it was")
        games.write_bytes(kept)
        journal = self.base / "run/journal.jsonl"
        lines = journal.read_text()
        journal.write_text("".join(lines.splitlines(keepends=True)[:1]))
        refused("of round 1")
        for wrong in ("[1]", '{"part": ["play"]}', lines.splitlines()[0].replace('"games"', '"game"')):
            journal.write_text(wrong + "\n" + lines)
            refused(f"line 1 of `{journal}` is damaged")
            self.assertEqual(journal.read_text(), wrong + "\n" + lines)
        # At its end a damaged line is as if it had not been written, and so is a damaged result of a fit.
        journal.write_text(lines + "[1]\n")
        result = self.base / "run/fit/001/network.json"
        result.write_text("{}")
        self.finish(self.start("run"))
        self.assertNotEqual(result.read_text(), "{}")
        self.assertNotIn("[1]", journal.read_text())
        player = self.base / "run/networks/001.txt"
        player.write_text(player.read_text() + "# changed\n")
        _, err = self.finish(self.start("run", "--rounds", "3"), 1)
        self.assertIn(f"`{player}` is missing or not what it was", err)

    def test_a_report_says_what_it_lacks(self):
        self.finish(self.start("run"))
        shutil.rmtree(self.base / "run/report")
        self.finish(self.start("run", "--report"))
        self.assertTrue((self.base / "run/report/costs.md").exists())
        shutil.rmtree(self.base / "run/report")
        (self.base / "run/report").touch()
        _, err = self.finish(self.start("run", "--report"), 1)
        self.assertEqual(err, f"learn: cannot use `{self.base / 'run/report'}`: File exists\n")
        whole = self.state("run")
        for change, name in [
            (lambda state: state.pop("rounds"), "rounds"),
            (lambda state: state["rounds"][0].pop("fit"), "rounds[0].fit"),
            (lambda state: state["rounds"][1].pop("play"), "rounds[1].play"),
            (lambda state: state["rounds"][1].update(player=1), "rounds[1].player"),
            (lambda state: state["rounds"][1].update(player="networks/002.txt"), "rounds[1].player"),
            (lambda state: state["rounds"][0]["play"]["boards"].pop("7x7-dense"), "rounds[0].play.boards.7x7-dense"),
            (lambda state: state["rounds"][1]["gate"].update(elo="x"), "rounds[1].gate.elo"),
            (lambda state: state["rounds"][1].update(round=3), "rounds[1].round"),
            (lambda state: state.update(settings=[]), "settings"),
            (lambda state: state.update(ranges=[]), "ranges"),
            (lambda state: state["ranges"].update(small=1), "ranges.small"),
            (lambda state: state["ranges"].update(tiny=state["ranges"]["small"]), "ranges.tiny"),
            (lambda state: state["ranges"]["small"].update(round=3), "ranges.small.round"),
            (lambda state: state["ranges"]["small"].update(player="fit/002"), "ranges.small.player"),
            (lambda state: state["ranges"]["small"].pop("fit"), "ranges.small.fit"),
            (lambda state: state["ranges"]["middle"]["gate"].update(accepted=1), "ranges.middle.gate.accepted"),
        ]:
            state = copy.deepcopy(whole)
            change(state)
            path = self.base / "run/state.json"
            path.write_text(json.dumps(state))
            _, err = self.finish(self.start("run", "--report"), 1)
            advice = "restore it from a copy, or use another folder"
            self.assertEqual(err, f"learn: `{path}` is damaged: `{name}` is missing or wrong; {advice}\n")


if __name__ == "__main__":
    if not {"-h", "--help"}.isdisjoint(sys.argv):
        print(__doc__)
        unittest.main()
    try:
        import distributed  # noqa: F401
        import psutil  # noqa: F401
    except ImportError as error:
        sys.exit(f"test_learn.py: no package `{error.name}`; pip install -r scripts/cluster/requirements.txt")
    if not os.access(TANADA, os.X_OK):
        sys.exit(f"test_learn.py: there is no program `{TANADA}`; run `cargo build --release`")
    unittest.main()
