"""Fits a network to samples, as a job of the loop describes it. It is started by the loop, not by people.

    python3 scripts/learn/fit.py JOB FOLDER

A checkpoint in FOLDER is kept while it runs, and the same call continues from it. At the end FOLDER has KIND.pt (with
the auxiliary heads), KIND.json (losses, seconds) and, for a network of play, network.txt. The same job and threads give
the same network if the packages compute the same; on a GPU they do not, because its sums have no fixed order.
"""

import contextlib
import io
import json
import math
import resource
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import losses
import rates
from files import replace
from samples import Board, draw_board, normalisation
from teacher import Teacher, build, load

TESTED = 4000  # held-out positions of a board
TELL_SECONDS = 2


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def save(path, content):
    made = io.BytesIO()
    torch.save(content, made)
    replace(path, made.getbuffer())


def open_more_files():
    """Each file of samples stays open, and a window may have more than the usual 1,024."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Where there is no limit, macOS refuses to remove this one too.
    wanted = 10_240 if most == resource.RLIM_INFINITY else most
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, wanted), most))


class Fit:
    def __init__(self, job, out):
        self.job, self.out, self.kind = job, out, job["kind"]
        self.device = job["device"]
        if self.device == "cuda" and not torch.cuda.is_available():
            raise SystemExit("PyTorch finds no GPU; use `--device cpu`")
        torch.set_num_threads(job["threads"])
        torch.manual_seed(job["seed"])
        self.rng = np.random.default_rng(job["seed"])
        self.boards = self.read()
        self.step, self.spent, self.cpu = 0, 0.0, 0.0
        self.build()
        self.teacher = Teacher(job["teacher"], self.device) if job["teacher"] else None
        self.restore()

    def read(self):
        """The boards that have samples for training."""
        files = {}
        for file in self.job["samples"]:
            files.setdefault(file["board"], []).append(file)
        boards = [Board(name, files[name], self.job["newest"], self.job["quick_weight"]) for name in sorted(files)]
        boards = [board for board in boards if board.weight > 0]
        if not boards:
            raise SystemExit("there are no samples to fit")
        if len({board.counts for board in boards}) > 1:
            raise SystemExit("the samples have different numbers of global features")
        return boards

    def build(self):
        """The network to start from: the last one, that of a text, or a random one."""
        job = self.job
        mean, spread = normalisation(self.boards, 20_000, self.rng)
        self.network, self.heads = build(job["channels"], job["blocks"], mean, spread)
        saved = load(job["start"]) if job["start"] else None
        if saved:
            self.network.load_state_dict(saved["model"])
            self.heads.load_state_dict(saved["heads"])
        elif job["text"]:
            self.network.read(Path(job["text"]).read_text())
        self.network.to(self.device)
        self.heads.to(self.device)
        weights = [*self.network.parameters(), *self.heads.parameters()]
        self.optimizer = torch.optim.AdamW(weights, lr=job["rate"], weight_decay=1e-4)
        if saved and self.kind == "teacher":
            # It learns continually; the student's rate starts anew in each round.
            self.optimizer.load_state_dict(saved["optimizer"])

    def content(self):
        """What a checkpoint holds."""
        return {
            "channels": self.job["channels"], "blocks": self.job["blocks"], "model": self.network.state_dict(),
            "heads": self.heads.state_dict(), "optimizer": self.optimizer.state_dict(),
        }

    def checkpoint(self):
        return self.out / f"{self.kind}-checkpoint.pt"

    def keep(self, spent):
        """Keeps a checkpoint."""
        generator = json.dumps(self.rng.bit_generator.state)
        here = {"step": self.step, "spent": spent, "cpu": self.cpu + cpu_seconds(), "generator": generator}
        save(self.checkpoint(), {**self.content(), **here})

    def restore(self):
        """Continues from the checkpoint of a killed fit."""
        if not self.checkpoint().exists():
            return
        saved = load(self.checkpoint())
        self.network.load_state_dict(saved["model"])
        self.heads.load_state_dict(saved["heads"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.rng.bit_generator.state = json.loads(saved["generator"])
        self.step, self.spent, self.cpu = saved["step"], saved["spent"], saved["cpu"]

    def rate(self):
        """The learning rate: warm-up, then a cosine to 1 %; the teacher's stays."""
        if self.kind == "teacher":
            return rates.warmed_up(self.job["rate"], self.step)
        return rates.cosine(self.job["rate"], self.step, self.job["steps"], least=0.01)

    def outputs(self, batch):
        """The network's value and moves, and the trunk's output with the normalised global features."""
        counts = self.network.normal(batch.counts)
        x = self.network.trunk(batch.planes, counts)
        return self.network.value(x, counts), self.network.moves(x, batch.planes), x, counts

    def advance(self):
        """One step; returns its loss, still on the device, which it must not wait for."""
        job = self.job
        self.network.rounded = self.step >= job["rounded_from"] * job["steps"]
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        board = draw_board(self.boards, self.rng)
        batch = board.batch(board.draw(job["batch"], self.rng), self.device, self.rng)
        value, moves, x, counts = self.outputs(batch)
        labels = self.teacher.labels(batch) if self.teacher else None
        heads = self.heads(x, batch.planes, counts)
        found = losses.parts(value, moves, heads, batch, job["value"], labels, job["teacher_weight"])
        loss = losses.total(found, job["losses"])
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        return loss.detach()

    def run(self):
        begin = kept = told = time.monotonic()
        recent = []
        while self.step < self.job["steps"]:
            recent.append(self.advance())
            now = time.monotonic()
            if now - told >= TELL_SECONDS or self.step == self.job["steps"]:
                mean = float(sum(recent)) / len(recent)
                if not math.isfinite(mean):
                    raise SystemExit(f"the loss is not finite at step {self.step}; a smaller rate in the plan may help")
                self.tell(mean)
                told, recent = now, []
            if now - kept >= self.job["save_seconds"]:
                self.keep(self.spent + now - begin)
                kept = now
        self.finish(begin)

    def tell(self, loss):
        print(json.dumps({"kind": self.kind, "step": self.step, "steps": self.job["steps"], "loss": loss}), flush=True)

    def finish(self, begin):
        """Writes the results; KIND.json last, because it says that the rest is complete."""
        found = self.test()
        save(self.out / f"{self.kind}.pt", self.content())
        if self.kind == "network":
            replace(self.out / "network.txt", self.network.text().encode())
        result = {
            "steps": self.step, "losses": found, "cpu": round(self.cpu + cpu_seconds(), 1),
            "wall": round(self.spent + time.monotonic() - begin, 1),
        }
        replace(self.out / f"{self.kind}.json", json.dumps(result).encode())
        self.checkpoint().unlink(missing_ok=True)

    def test(self):
        """The losses of held-out games of the newest round on each board, in the int8 arithmetic of play."""
        self.network.rounded = self.kind == "network"
        self.network.eval()
        found = {}
        with torch.no_grad():
            for board in self.boards:
                some = np.random.default_rng(7).permutation(board.tests)[:TESTED]
                sums, counts = np.zeros(3), np.zeros(3)
                for part in np.array_split(some, max(1, len(some) // 500)):
                    if len(part):
                        batch = board.batch(part, self.device)
                        value, moves, _, _ = self.outputs(batch)
                        more, each = losses.measures(value, moves, batch)
                        sums, counts = sums + more, counts + each
                if counts.min() > 0:
                    means = [round(float(mean), 4) for mean in sums / counts]
                    found[board.name] = dict(zip(("result", "search", "moves"), means))
        return found


def main():
    if len(sys.argv) != 3 or not {"-h", "--help"}.isdisjoint(sys.argv):
        print(__doc__)
        return 0 if len(sys.argv) == 2 else 2
    open_more_files()
    try:
        Fit(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])).run()
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
