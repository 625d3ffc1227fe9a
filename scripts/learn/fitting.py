"""The fit of a round as the loop sees it: samples of the window's games, then fit.py in a process of its own.

It runs on the machine of the folder, because the samples of the window take gigabytes.
"""

import json
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import plan as plans
from errors import Damaged, Stop
from files import digest, replace
from shapes import ROUND, odd

from tanada.cluster import guard, own_folder, run_program


class Fitting:
    def __init__(self, loop):
        self.loop = loop
        self.folder, self.plan = loop.folder, loop.plan

    def fit(self, record):
        """Fits the candidate of a round; returns what the state keeps."""
        begin = time.monotonic()
        rounds = self.window()
        samples, cpu = self.samples(rounds)
        spent = time.monotonic() - begin
        results, out = [], self.out(record)
        if self.plan["settings"]["teacher.weight"] > 0:
            results.append(self.run(out, "teacher", self.job(record, "teacher", samples)))
        results.append(self.run(out, "network", self.job(record, "network", samples)))
        return self.found(out, rounds, results, cpu, spent)

    def fit_range(self, record, name, boards):
        """Fits a candidate for some boards, from the network of the last round and the samples of its window."""
        begin, last = time.monotonic(), self.loop.state.rounds[-1]
        rounds = self.window()
        samples, cpu = self.samples(rounds, boards)
        spent = time.monotonic() - begin
        played = [self.loop.state.rounds[round - 1]["play"]["boards"] for round in rounds]
        positions = sum(each[board]["positions"] for each in played for board in boards)
        use = plans.of(self.plan, "ranges")
        job = self.job(last, "network", samples, start=self.out(last) / "network.pt")
        job.update(rate=use["rate"], steps=plans.steps(self.plan, positions, use["passes"]))
        out = self.folder / "fit" / f"{last['round']:03}-{name}"
        return self.found(out, rounds, [self.run(out, "network", job)], cpu, spent)

    def window(self):
        """The rounds whose games are in the window."""
        positions = [each["play"]["positions"] for each in self.loop.state.rounds]
        return plans.window_rounds(self.plan, positions)

    def found(self, out, rounds, results, cpu, spent):
        """What the state keeps of the fits of a candidate, its own last."""
        path, own = out / "network.txt", results[-1]
        if not path.exists():
            raise Damaged(f"`{path}` is missing")
        return {
            "network": str(path.relative_to(self.folder)), "sha256": digest(path.read_bytes()), "window": rounds,
            "steps": own["steps"], "losses": own["losses"],
            "cpu": round_seconds(cpu + sum(result["cpu"] for result in results)),
            "wall": round_seconds(spent + sum(result["wall"] for result in results)),
        }

    def samples(self, rounds, boards=None):
        """Computes the samples of the window's games that are missing or damaged, on some boards or on all, and
        deletes those of older rounds."""
        cache = self.folder / "samples"
        for old in cache.glob("*"):
            if old.name not in {f"{round:03}" for round in rounds}:
                shutil.rmtree(old, ignore_errors=True)
        found, wanted = [], []
        for round in rounds:
            lines = self.loop.journal.of("play", round)
            for batch in sorted(plans.batches(self.plan, round), key=lambda batch: (batch["board"], batch["first"])):
                if boards is not None and batch["board"] not in boards:
                    continue
                task = f"{batch['board']}-{batch['first']}"
                source, out = self.loop.games_file(round, task), cache / f"{round:03}" / f"{task}.samples"
                found.append({"path": str(out), "board": batch["board"], "round": round, "first": batch["first"]})
                if task not in lines:
                    raise Damaged(f"`{self.folder / 'journal.jsonl'}` lacks the games {task} of round {round}")
                wanted.append((source, lines[task]["sha256"], out))
        with ThreadPoolExecutor(self.loop.options.threads) as pool:
            try:
                cpu = sum(pool.map(self.convert, wanted))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return found, cpu

    def convert(self, each):
        """Computes the samples of one games file, unless they are there. Returns the seconds that it took."""
        source, expected, out = each
        # Its content names the games too, so that samples of others do not count.
        seal = out.with_name(out.name + ".sha256")
        if out.exists() and seal.exists() and seal.read_bytes() == sealed(expected, out):
            return 0
        if not source.exists() or digest(source.read_bytes()) != expected:
            raise Damaged(f"`{source}` is missing or not what it was")
        out.parent.mkdir(parents=True, exist_ok=True)
        part = out.with_name(out.name + ".part")
        options = self.loop.options
        with own_folder("tanada-samples-") as folder:
            command = [options.program, "samples", source, "--out", part, "--force"]
            ended = run_program(folder, command, options.nice)
        if ended.status != 0:
            raise Stop(ended.sentence("tanada samples"))
        os.replace(part, out)
        replace(seal, sealed(expected, out))
        return ended.cpu

    def job(self, record, kind, samples, start=None):
        """What fit.py needs to know. Without `start` the fit goes on from that of the round before, if there is one."""
        round, plan = record["round"], self.plan
        fit, teacher = plans.of(plan, "fit"), plans.of(plan, "teacher")
        is_teacher = kind == "teacher"
        rate = plans.geometric(fit["rate_first"], fit["rate_last"], plans.passed(plan, round))
        if start is None and round > 1:
            start = self.folder / "fit" / f"{round - 1:03}" / f"{kind}.pt"
        if start is not None and not start.exists():
            raise Damaged(f"`{start}` is missing")
        text = self.loop.state.content.get("from") if start is None and not is_teacher else None
        use = teacher if is_teacher else fit
        return {
            "kind": kind, "samples": samples, "newest": round,
            "start": None if start is None else str(start),
            "text": None if text is None else str(self.folder / text),
            "channels": teacher["channels"] if is_teacher else plans.CHANNELS, "blocks": use["blocks"],
            "steps": plans.steps(plan, record["play"]["positions"], use["passes"]),
            "batch": fit["batch"], "rate": teacher["rate"] if is_teacher else rate,
            "rounded_from": 1 if is_teacher else fit["rounded_from"], "quick_weight": fit["quick_weight"],
            "value": plans.of(plan, "value"), "losses": plans.of(plan, "losses"),
            "teacher": str(self.out(record) / "teacher.pt") if teacher["weight"] > 0 and not is_teacher else None,
            "teacher_weight": teacher["weight"], "seed": self.loop.state.settings["seed"] * 1000 + round,
            "threads": self.loop.options.threads, "device": self.loop.options.device, "save_seconds": 120,
        }

    def out(self, record):
        return self.folder / "fit" / f"{record['round']:03}"

    def run(self, out, kind, job):
        """Runs a fit to its end; fit.py continues from its last checkpoint. Returns its result."""
        result = out / f"{kind}.json"
        if found := result_of(result):
            return found
        out.mkdir(parents=True, exist_ok=True)
        path = out / f"{kind}-job.json"
        replace(path, json.dumps(job).encode())
        log = out / f"{kind}.log"
        with own_folder("tanada-fit-") as folder, open(log, "ab") as said:
            begin = said.tell()
            command = [*self.loop.options.fit, path, out]
            with guard(folder, command, self.loop.options.nice, stdout=subprocess.PIPE, stderr=said) as process:
                for line in process.stdout:
                    self.show(line)
                code = process.wait()
        found = result_of(result)
        if code != 0 or found is None:
            text = log.read_bytes()[begin:].decode(errors="replace")
            last = text.strip().splitlines()[-1:] or [f"status {code}"]
            raise Stop(f"the fit failed: {last[0]} (see `{log}`)")
        return found

    def show(self, line):
        try:
            progress = json.loads(line)
            self.loop.display.fit(progress["kind"], progress["step"], progress["steps"], progress["loss"])
        except (ValueError, KeyError, TypeError):
            self.loop.display.say(line.decode(errors="replace").rstrip())


def sealed(games, path):
    """What the file beside some samples says: the digests of their games and of themselves."""
    return f"{games} {digest(path.read_bytes())}\n".encode()


def result_of(path):
    """What a fit wrote at its end, or None if that is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    shape = {name: ROUND["fit"][name] for name in ("steps", "losses", "cpu", "wall")}
    return None if odd(found, shape, "fit") else found


def round_seconds(seconds):
    return round(seconds, 1)
