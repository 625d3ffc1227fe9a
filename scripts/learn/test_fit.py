#!/usr/bin/env python3
"""Tests the fit of scripts/learn on made samples: it learns, and a killed fit gives the same network.

    python3 scripts/learn/test_fit.py [TEST...]

Needs the packages of scripts/learn/requirements.txt.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__" and not {"-h", "--help"}.isdisjoint(sys.argv):
    # Checked before the imports, which may fail.
    print(__doc__)
    unittest.main()

sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]

import numpy as np
import torch

import fit
import four
import losses
import network
import perceptron
import plan
import samples
from test_learn import wait_for


class Fit(unittest.TestCase):
    """The fit on made samples."""

    def setUp(self):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        self.base = Path(own.name)

    def made(self, side, count):
        """Samples of positions in which plane 1 tells the winner."""
        rng, points = np.random.default_rng(side), side * side
        found = np.zeros(count, samples.layout(points, 6, points))
        found["counts"] = rng.random((count, 6))
        found["planes"] = rng.integers(0, 1 << samples.PLANES, (count, points)) | 8
        # Planes that are the same everywhere stay so in every symmetry.
        won = rng.integers(0, 2, count)
        found["planes"] = found["planes"] & 0xFFFFFFFD | (won * 2)[:, None].astype(np.uint32)
        found["flags"] = rng.choice([1, 4, 5], count)
        found["result"] = np.where(found["flags"] & 4, won, 2)
        found["value"] = found["short"] = won * 65535
        found["visits"] = np.where((found["flags"] & 1)[:, None], rng.integers(0, 256, (count, points)), 0)
        found["fate"] = rng.integers(0, 3, (count, points)) | rng.integers(0, 3, (count, points)) << 2
        found["reply"] = rng.integers(0, points + 1, count)
        found["plies"] = rng.integers(1, 60, count)
        found["game"] = np.arange(count) // 20
        path = self.base / f"{side}.samples"
        head = f"tanada samples side {side} points {points} planes {samples.PLANES} globals 6 moves {points}"
        head += f" seats 2 bytes {found.itemsize}\n"
        path.write_bytes(head.encode() + found.tobytes())
        return {"path": str(path), "board": f"{side}x{side}", "round": 1, "first": 1}

    def job(self, **more):
        settings = plan.default()
        job = {
            "kind": "network", "samples": [self.made(4, 900), self.made(5, 900)], "newest": 1, "start": None,
            "text": None, "channels": 16, "blocks": 1, "steps": 300, "batch": 64, "rate": 0.01, "rounded_from": 0.5,
            "quick_weight": 0.3, "value": plan.of(settings, "value"), "losses": plan.of(settings, "losses"),
            "teacher": None, "teacher_weight": 0, "seed": 1, "threads": 1, "device": "cpu", "save_seconds": 600,
        }
        return {**job, **more}

    def run_fit(self, name, job, kill_at=None):
        """Runs a fit, or kills it when a file appears."""
        out = self.base / name
        out.mkdir(exist_ok=True)
        (out / "job.json").write_text(json.dumps(job))
        command = [sys.executable, str(HERE / "fit.py"), str(out / "job.json"), str(out)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if kill_at is not None:
            wait_for(lambda: (out / kill_at).exists() or process.poll() is not None, 120, "a checkpoint")
            self.assertIsNone(process.poll(), "the fit ended before it could be killed")
            process.kill()
        _, err = process.communicate(timeout=300)
        if kill_at is None:
            self.assertEqual(process.returncode, 0, err)
        return out

    def test_a_killed_fit_gives_the_same_network_and_learns(self):
        whole = self.run_fit("whole", self.job())
        losses = json.loads((whole / "network.json").read_text())["losses"]
        for board in ("4x4", "5x5"):
            self.assertLess(losses[board]["result"], 0.5)
        job = self.job(save_seconds=0)
        killed = self.run_fit("killed", job, kill_at="network-checkpoint.pt")
        self.run_fit("killed", job)
        self.assertEqual((whole / "network.txt").read_bytes(), (killed / "network.txt").read_bytes())

    @unittest.skipIf(torch.cuda.is_available(), "there is a GPU")
    def test_a_missing_gpu_is_refused_before_a_game(self):
        folder = self.base / "run"
        command = [sys.executable, str(HERE), str(folder), "--device", "cuda", "--tanada", sys.executable]
        ran = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr), (2, "learn: PyTorch finds no GPU; use `--device cpu`\n"))
        self.assertEqual([path.name for path in folder.iterdir()], ["lock"])

    def test_a_teacher_labels_the_samples(self):
        out = self.run_fit("taught", self.job(kind="teacher", channels=24, blocks=2, rounded_from=1, steps=10))
        taught = {"teacher": str(out / "teacher.pt"), "teacher_weight": 0.5, "steps": 10}
        with_labels = self.run_fit("taught", self.job(**taught))
        without = self.run_fit("alone", self.job(steps=10))
        self.assertNotEqual((with_labels / "network.txt").read_bytes(), (without / "network.txt").read_bytes())
        # The teacher goes on from its own checkpoint, with another number of channels than the network.
        self.run_fit("next", self.job(
            kind="teacher", channels=24, blocks=2, rounded_from=1, steps=5, start=str(out / "teacher.pt")))

    def test_an_activation_is_rounded_and_its_gradient_is_not(self):
        x = torch.tensor([-1.0, 0.25, 0.26, 3.9, 5.0, 0.0, 127 / 32], requires_grad=True)
        for is_rounded, third in ((False, 0.26), (True, 0.25)):
            y = network.Activation.apply(x, is_rounded)
            self.assertTrue(torch.allclose(y[:3], torch.tensor([0, 0.25, third])), y)
            self.assertEqual(float(y[4].detach()), 127 / 32)
            (found,) = torch.autograd.grad((y * torch.arange(1.0, 8.0)).sum(), x)
            self.assertEqual(found.tolist(), [0, 2, 3, 4, 0, 0, 0])
            self.assertEqual(x.tolist()[0], -1, "the argument is left alone")

    @unittest.skipIf(torch.cuda.is_available(), "there is a GPU")
    def test_a_missing_gpu_is_named(self):
        with self.assertRaisesRegex(SystemExit, "PyTorch finds no GPU; use `--device cpu`"):
            fit.Fit(self.job(device="cuda"), self.base)

    def test_symmetries_move_every_target_alike(self):
        board = samples.Board("4x4", [self.made(4, 50)], 1, 1)
        found = board.take(np.arange(50))
        plain = samples.batch_of(found, 4, 0, "cpu")
        seen = set()
        for turn in range(8):
            turned = samples.batch_of(found, 4, turn, "cpu")
            order = samples.order_of(4, turn)
            seen.add(tuple(order))
            for name in ("visits", "first", "holder", "occupied", "survives"):
                self.assertTrue((getattr(turned, name) == getattr(plain, name)[:, order]).all(), name)
            flat = plain.planes.flatten(2)[:, :, order]
            self.assertTrue((turned.planes.flatten(2) == flat).all())
            for old, new in zip(plain.reply.tolist(), turned.reply.tolist()):
                self.assertEqual(new if old < 0 else order[new], old)
        self.assertEqual(len(seen), 8)

    def test_a_proved_value_counts_alone(self):
        found = samples.Board("4x4", [self.made(4, 50)], 1, 1).take(np.arange(50)).copy()
        found["value"], found["short"], found["result"] = 65535, 0, 0
        found["flags"] = np.arange(50) % 2 * samples.PROVED | samples.PLAYED
        target = losses.value_target(samples.batch_of(found, 4, 0, "cpu"), {"result": 0.5, "search": 0.25})
        self.assertEqual(target.tolist(), [0.25, 1.0] * 25)

    def test_held_out_games_are_never_drawn(self):
        board = samples.Board("4x4", [self.made(4, 900)], 1, 0.3)
        drawn = board.take(board.draw(5000, np.random.default_rng(1)))
        self.assertTrue(((drawn["game"] + 1) % samples.HELD_OUT != 0).all())
        tested = board.take(board.tests)
        self.assertTrue(len(tested) > 0 and ((tested["game"] + 1) % samples.HELD_OUT == 0).all())
        # Quick positions are drawn less often.
        quick, full = (drawn["flags"] == 4).mean(), (drawn["flags"] == 5).mean()
        self.assertTrue(0.2 < quick / full < 0.4, (quick, full))


class Four(unittest.TestCase):
    """The fit of the network for three and four players."""

    def setUp(self):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        self.base = Path(own.name)

    def made(self, count, seats=4, name="samples", side=4, more=0, scale=1):
        """Samples in which the seat wins whose plane of stones is full."""
        rng, points = np.random.default_rng(seats), side * side
        numbers = 4 * four.SEAT_FEATURES + four.POSITION_FEATURES + more
        found = np.zeros(count, samples.layout(points, numbers, points, seats))
        found["counts"] = scale * rng.random((count, numbers))
        winner = rng.integers(0, seats, count)
        found["planes"] = (1 << (1 + winner) | 1 << four.LEGAL)[:, None]
        found["planes"][:, 0] |= (2 << seats) - 2  # each has a stone
        chances = 65535 * (winner[:, None] == np.arange(seats))
        found["value"] = found["short"] = chances[:, 0]
        found["others"] = chances[:, 1:, None]
        found["winner"], found["result"] = winner, winner == 0
        found["flags"], found["plies"] = samples.HAS_POLICY | samples.PLAYED, 9
        found["visits"][np.arange(count), rng.integers(0, points, count)] = 255
        found["game"] = np.arange(count) // 10
        head = f"side {side} points {points} planes {four.PLANES} globals {numbers} moves {points} seats {seats}"
        path = self.base / name
        path.write_bytes(f"tanada samples {head} bytes {found.itemsize}\n".encode() + found.tobytes())
        return str(path)

    def test_it_learns_and_repeats(self):
        texts = []
        files = [self.made(2000), self.made(1000, 3, "three"), self.made(1000, 4, "wide", 5)]
        for name in ("one", "two"):
            out = self.base / name
            command = [sys.executable, str(HERE / "four.py"), *files, "--out", str(out), "--rate", "0.01"]
            ran = subprocess.run([*command, "--steps", "200", "--batch", "64"], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            texts.append(out.read_text())
        self.assertEqual(texts[0], texts[1])
        self.assertIn("4000 positions of 400 games", ran.stdout)
        told = ran.stdout.split(": ", 1)[1].strip().split("; ")
        self.assertEqual([part.split(":")[0] for part in told], ["4x4 for 3", "4x4 for 4", "5x5 for 4"])
        for part in told:
            self.assertLess(float(part.split("result ")[1].split()[0]), 0.4, part)
        self.assertEqual(texts[0].split("\n", 1)[0], "network 16 channels 3 blocks 4 values")
        # It goes on from its own network, and refuses another.
        start, wrong = self.base / "one", self.base / "wrong"
        wrong.write_text("network 16 channels 3 blocks\nnumbers 1 2 x\n")
        nowhere = self.base / "nowhere"
        for path, expected in [
            (start, ""),
            (wrong, f"`{wrong}` is no network of 16 channels and 3 blocks"),
            (nowhere, f"`{nowhere}` cannot be read: No such file or directory"),
        ]:
            more = [*command, "--start", str(path), "--steps", "1"]
            ran = subprocess.run(more, capture_output=True, text=True)
            self.assertIn(expected, ran.stderr)
            self.assertEqual(ran.returncode, 1 if expected else 0, ran.stderr)

    def test_a_loss_that_is_no_number_ends_the_fit(self):
        command = [sys.executable, str(HERE / "four.py"), self.made(400, scale=np.nan), "--out", str(self.base / "out")]
        ran = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the loss is not finite at step 1; a smaller `--rate` may help", ran.stderr)
        self.assertFalse((self.base / "out").exists())

    def test_a_network_for_two_is_widened(self):
        torch.manual_seed(1)
        counts = 2 * four.SEAT_FEATURES + four.POSITION_FEATURES
        two = four.Network(16, 3, counts, torch.zeros(counts), torch.ones(counts))
        wide = 4 * four.SEAT_FEATURES + four.POSITION_FEATURES
        more = four.Network(16, 3, wide, torch.zeros(wide), torch.ones(wide), four.PLANES, four.LEGAL, four.SEATS)
        more.read(four.widened(two.text()))
        two.read(two.text())
        # A board of two players, seen by both networks.
        planes = (torch.rand(5, 16, 4, 4) < 0.3).float()
        planes[:, 3] = 1
        numbers = torch.rand(5, counts)
        order = [0, 1, 2, None, None, 3, 4, None, None, 5, 6, None, None, 7, 8, None, None, *range(9, 16)]
        empty = torch.zeros(5, 4, 4)
        wider = torch.stack([empty if place is None else planes[:, place] for place in order], 1)
        own, other, rest = numbers.split([25, 25, 6], 1)
        # The weights of one opponent are shared by three.
        spread = torch.cat([own, other, other, other, rest], 1)
        logits, moves = two(planes, numbers)
        x = more.trunk(wider, spread)
        self.assertTrue(torch.allclose(x, two.trunk(planes, numbers), atol=1e-4))
        self.assertTrue(torch.allclose(more.moves(x, wider), moves, atol=1e-3))
        self.assertEqual(more.values(x, spread).tolist(), [[0.0] * 4] * 5)

    def test_other_samples_are_refused(self):
        path = self.made(10)
        content = Path(path).read_bytes()
        for old, new, expected in [
            (b"planes 24", b"planes 16", "it has 16 planes, expected 24"),
            (b"seats 4", b"seats 5", "it has 5 seats, expected 3 to 4"),
            (b"seats 4", b"seats 2", "it has 2 seats, expected 3 to 4"),
            (b"seats 4", b"seats 3", "has records of 546 bytes: expected 542"),
        ]:
            Path(path).write_bytes(content.replace(old, new))
            with self.assertRaisesRegex(SystemExit, expected):
                four.read([path])
        Path(path).write_bytes(content)
        for paths, expected in [
            ([path, path], "is given twice"),
            ([path, self.made(10, 3, "more", more=1)], "has 107 global features, the files before it 106"),
            ([path], "there are no samples to fit besides"),  # its one game is held out
        ]:
            with self.assertRaisesRegex(SystemExit, expected):
                four.read(paths)

    def test_games_are_numbered_over_the_files_of_a_board(self):
        [board], games = four.read([self.made(100), self.made(300, name="second")])
        held_out = board.take(board.tests)["game"]
        self.assertEqual((games, sorted(set(held_out))), (40, [0, 6, 22]))  # games 0, 16 and 32
        drawn = board.draw(5000, np.random.default_rng(1))
        self.assertEqual(set(drawn) & set(board.tests), set())
        self.assertEqual(set(drawn) | set(board.tests), set(range(400)))


class Perceptron(unittest.TestCase):
    """The fit of the perceptron."""

    def setUp(self):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        self.base = Path(own.name)

    def made(self, count, scale=1):
        """Samples in which the side to move has won if its first piece stands in a corner."""
        rng, numbers = np.random.default_rng(1), perceptron.GLOBALS
        found = np.zeros(count, samples.layout(perceptron.SQUARES, numbers, perceptron.CAPTURE))
        squares = np.argsort(rng.random((count, perceptron.SQUARES)), 1)[:, : 2 * perceptron.KINDS]
        for piece in range(2 * perceptron.KINDS):
            found["planes"][np.arange(count), squares[:, piece]] |= 1 << piece
        turn = rng.integers(1, 11, count)
        found["counts"][:, 58], found["counts"][:, 59] = turn / 10, (1 + rng.integers(0, turn)) / 10
        found["counts"][:, 60:] = rng.integers(0, 7, (count, perceptron.DISTANCES)) / 10
        found["counts"] *= scale
        corner = np.isin(squares[:, 0], [0, 6, 42, 48])
        found["value"] = found["short"] = corner * 65535
        found["result"], found["flags"] = corner, samples.HAS_POLICY | samples.PLAYED
        found["visits"][:, :200] = 1
        found["visits"][np.arange(count), 100 + squares[:, perceptron.KINDS]] = 255
        found["game"] = np.arange(count) // 10
        path = self.base / "samples"
        head = f"tanada samples side 7 points 49 planes {perceptron.PLANES} globals {numbers}"
        head += f" moves {perceptron.CAPTURE} seats 2 bytes {found.itemsize}\n"
        path.write_bytes(head.encode() + found.tobytes())
        return path

    def test_it_learns_and_repeats(self):
        texts = []
        for name in ("one", "two"):
            out = self.base / name
            command = [sys.executable, str(HERE / "perceptron.py"), str(self.made(4000)), "--out", str(out)]
            ran = subprocess.run([*command, "--steps", "300", "--batch", "128"], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            texts.append(out.read_text())
        self.assertEqual(texts[0], texts[1])
        self.assertIn("4000 positions of 400 games", ran.stdout)
        result = float(ran.stdout.split("result ")[-1].split()[0])
        self.assertLess(result, 0.2)
        head = texts[0].split("\n", 1)[0]
        self.assertEqual(head, "network 64 units 1225 facts 58 numbers 600 moves")

    def test_other_samples_are_refused(self):
        path = self.made(10)
        content = path.read_bytes().replace(b"planes 21", b"planes 16")
        path.write_bytes(content)
        with self.assertRaisesRegex(SystemExit, "is of another network: it has 16 planes, expected 21"):
            perceptron.Positions([path])

    def test_wrong_options_are_named(self):
        for more, expected in [
            (["none", "--out", "x"], "`none` cannot be read: No such file or directory"),
            (["none", "--out", "x", "--steps", "-1"], "invalid value `-1`: expected at most 9 digits"),
            (["none", "--out", "x", "--rate", "nan"], "invalid value `nan`: expected a number above 0"),
            (["none", "--out", "x", "--batch", "0"], "`--batch` is 0: expected at least 1"),
            (["none", "--out", "x", "--steps", "0"], "`--steps` is 0: expected at least 1"),
        ]:
            command = [sys.executable, str(HERE / "perceptron.py"), *more]
            ran = subprocess.run(command, capture_output=True, text=True, cwd=self.base)
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn(expected, ran.stderr)
            self.assertNotIn("Traceback", ran.stderr)

    def test_a_loss_that_is_no_number_ends_the_fit(self):
        path = self.made(100, scale=np.nan)
        command = [sys.executable, str(HERE / "perceptron.py"), str(path), "--out", str(self.base / "out")]
        ran = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the loss is not finite at step 1; a smaller `--rate` may help", ran.stderr)
        self.assertFalse((self.base / "out").exists())

    def test_symmetries_keep_distances_between_squares(self):
        squares = torch.arange(-1, perceptron.SQUARES)
        plain = squares[1:]
        distances = (plain[:, None] // 7 - plain // 7) ** 2 + (plain[:, None] % 7 - plain % 7) ** 2
        seen = set()
        for turn in range(8):
            image = perceptron.turned(squares, turn)
            self.assertEqual(int(image[0]), -1)
            image = image[1:]
            seen.add(tuple(image.tolist()))
            found = (image[:, None] // 7 - image // 7) ** 2 + (image[:, None] % 7 - image % 7) ** 2
            self.assertTrue((found == distances).all())
        self.assertEqual(len(seen), 8)


if __name__ == "__main__":
    unittest.main()
