"""The rounds: play games with the newest accepted network, fit a candidate, and let the two play a match. After the
last one, a candidate for each range of board sizes is fitted and plays a match too."""

import hashlib
import time
from pathlib import Path

import elo
import plan as plans
import report
import tasks
from errors import Damaged
from files import digest, replace
from fitting import Fitting

from tanada.cluster import Tasks


def seed_of(*words):
    """A seed for each purpose, independent of the order of the tasks."""
    return int.from_bytes(hashlib.sha256(" ".join(map(str, words)).encode()).digest()[:6], "big")


def newest_network(state):
    """The newest accepted network of all boards, or that of --from, or None."""
    for record in reversed(state.rounds):
        if record["gate"]["accepted"]:
            return f"networks/{record['round']:03}.txt"
    return state.content.get("from")


def range_networks(state):
    """The accepted networks of ranges of sizes, if they were fitted after the newest round."""
    return [
        f"networks/{record['round']:03}-{name}.txt"
        for name, record in state.ranges.items()
        if record["gate"]["accepted"]
    ]


def gate_openings(plan, board, round, first):
    """The first opening of some pairs of a gate: each round takes the next ones."""
    return first + (round - 1) * plans.pairs(plan, board)


class Loop:
    def __init__(self, folder, plan, state, journal, options, workers, display):
        self.folder, self.plan, self.state, self.journal = folder, plan, state, journal
        self.options, self.workers, self.display = options, workers, display
        self.program = workers.bring(options.program)
        self.fitting = Fitting(self)

    def run(self):
        """Continues after the last finished part until everything is done."""
        self.play_rounds()
        for name, boards in plans.ranges(self.plan).items():
            self.fit_range(name, boards)

    def play_rounds(self):
        """Continues until the last round is over."""
        while True:
            rounds = self.state.rounds
            if rounds and "gate" in rounds[-1]:
                self.finish_round()
                if len(rounds) >= self.plan["last"]:
                    return
            if not rounds or "gate" in rounds[-1]:
                rounds.append({"round": len(rounds) + 1, "player": newest_network(self.state)})
                self.state.save()
            for part in plans.PARTS:
                if part not in rounds[-1]:
                    self.display.begin(part, rounds)
                    rounds[-1][part] = getattr(self, part)(rounds[-1])
                    self.state.save()
                    self.display.end(part, rounds)

    def finish_round(self):
        """Puts the candidate where it belongs, and writes the report."""
        record = self.state.rounds[-1]
        self.place(record, f"{record['round']:03}")
        report.write(self.folder, self.state, self.display.say)

    def place(self, record, name):
        """Puts a candidate where its gate says."""
        place = "networks" if record["gate"]["accepted"] else "refused"
        text = self.whole(record["fit"]["network"], record["fit"]["sha256"])
        replace(self.folder / place / f"{name}.txt", text)

    def whole(self, name, expected):
        """The content of a file of the folder, which must be what it was."""
        path = self.folder / name
        text = path.read_bytes() if path.exists() else b""
        if digest(text) != expected:
            raise Damaged(f"`{path}` is missing or not what it was")
        return text

    def bring(self, name, expected):
        """Brings a network of the folder to the workers."""
        self.whole(name, expected)
        return self.workers.bring(self.folder / name)

    def bring_player(self, name):
        """Brings the network that plays the games; None is the linear evaluation."""
        if name is None:
            return None
        if name == self.state.content.get("from"):
            return self.bring(name, self.state.settings["from"])
        return self.bring(name, self.state.rounds[int(Path(name).stem) - 1]["fit"]["sha256"])

    def job(self, part, record, task, **more):
        return {
            "part": part, "round": record["round"], "task": task, "nice": self.options.nice, **more,
        }

    def note(self, job, result):
        """Adds a finished task to the journal. `spent` are the seconds since the one before in this process."""
        now = time.monotonic()
        line = {"part": job["part"], "round": job["round"], "task": job["task"], **result}
        self.journal.add({**line, "spent": round(now - self.since, 2)})
        self.since = now

    def run_jobs(self, jobs, done, function, files, keep):
        """Runs the jobs that are not done, and shows them. `files` are the networks."""
        self.since = time.monotonic()
        self.display.tasks([(job["board"], job["count"], job["estimate"], job["task"] in done) for job in jobs])

        def name(job):
            return f"{job['part']} {job['task']}"

        def tell(job, failure):
            self.display.say(f"{name(job)} failed and is played again: {failure}")

        missing = [job for job in jobs if job["task"] not in done]
        with Tasks(
            self.workers, function, missing, arguments=lambda job: (job, self.program, *files), name=name, tell=tell
        ) as running:
            for job, result in running:
                keep(job, result)
                self.display.advance(job["board"], job["count"], job["estimate"])

    # Play.

    def games_file(self, round, task):
        return self.folder / "games" / f"{round:03}" / f"{task}.games.gz"

    def play(self, record):
        """Plays the games of a round, except those that are there."""
        round = record["round"]
        full, quick = plans.searches(self.plan, round)
        jobs = []
        for batch in plans.batches(self.plan, round):
            board = self.plan["boards"][batch["board"]]
            flags = [
                "--size", board["size"], "--first", batch["first"], "--games", batch["games"],
                "--iterations", full, "--quick-iterations", quick,
                "--full-share", self.plan["settings"]["play.full_share"], "--plies", board["plies"],
                "--drawn", board["drawn"], "--seed", seed_of(self.state.settings["seed"], round, batch["board"]),
            ]
            task = f"{batch['board']}-{batch['first']}"
            more = {"flags": flags, "setup": board["setup"], "count": batch["games"]}
            jobs.append(self.job("play", record, task, **more, **batch))
        done = {
            task: line
            for task, line in self.journal.of("play", round).items()
            if self.has_games(round, task, line["sha256"])
        }

        def keep(job, result):
            content, line = result
            replace(self.games_file(round, job["task"]), content)
            self.note(job, line)

        self.run_jobs(jobs, done, tasks.play_batch, [self.bring_player(record["player"])], keep)
        lines = self.journal.of("play", round)
        boards = {}
        for job in sorted(jobs, key=lambda job: (job["board"], job["first"])):
            line = lines[job["task"]]
            board = boards.setdefault(job["board"], {"games": 0, "positions": 0, "full": 0, "sha256": ""})
            for field in ("games", "positions", "full"):
                board[field] += line[field]
            board["sha256"] = digest((board["sha256"] + line["sha256"]).encode())
        positions = sum(board["positions"] for board in boards.values())
        return {"iterations": full, "boards": boards, "positions": positions, **self.costs("play", round)}

    def has_games(self, round, task, expected):
        path = self.games_file(round, task)
        return path.exists() and digest(path.read_bytes()) == expected

    def costs(self, part, round):
        """CPU seconds of a part's tasks, those done twice included, and the seconds that it took."""
        lines = [line for line in self.journal.lines if line["part"] == part and line["round"] == round]
        return {"cpu": round_off(line["cpu"] for line in lines), "wall": round_off(line["spent"] for line in lines)}

    # Fit.

    def fit(self, record):
        return self.fitting.fit(record)

    # Gate.

    def gate(self, record):
        """Plays the matches of the candidate against the network that played the games, and judges."""
        return self.match("gate", record, self.plan["boards"])

    def match(self, part, record, boards):
        """Plays the matches of a candidate on some boards, and judges."""
        round = record["round"]
        jobs = []
        for batch in plans.gate_batches(self.plan, boards):
            board = self.plan["boards"][batch["board"]]
            task = f"{batch['board']}-{batch['first']}"
            seed = seed_of(self.state.settings["seed"], round, part, task)
            flags = [
                "--size", board["size"], "--pairs", batch["pairs"], "--seed", seed,
                "--iterations", self.plan["settings"]["gate.iterations"],
            ]
            first = gate_openings(self.plan, board, round, batch["first"])
            openings = self.options.openings(board, first, batch["pairs"])
            if openings is None:
                flags += ["--plies", max(2, board["size"] // 2)]
            more = {"flags": flags, "setup": board["setup"], "openings": openings, "count": batch["pairs"]}
            jobs.append(self.job(part, record, task, **more, **batch))
        candidate = self.bring(record["fit"]["network"], record["fit"]["sha256"])
        files = [candidate, self.bring_player(record["player"])]
        self.run_jobs(jobs, self.journal.of(part, round), tasks.play_pairs, files, self.note)
        lines = self.journal.of(part, round)
        found = {}
        for job in jobs:
            counts = found.setdefault(job["board"], [0] * 5)
            for i, count in enumerate(lines[job["task"]]["pentanomial"]):
                counts[i] += count
        return {**elo.verdict(plans.of(self.plan, "gate"), found), **self.costs(part, round)}

    # Ranges of sizes.

    def fit_range(self, name, boards):
        """Fits a candidate for the boards of a range after the last round, and plays its matches against the newest
        accepted network of all boards."""
        rounds, ranges = self.state.rounds, self.state.content.setdefault("ranges", {})
        if ranges.get(name, {}).get("round") != len(rounds):
            ranges[name] = {"round": len(rounds), "player": newest_network(self.state)}
        record = ranges[name]
        for part, work in (
            ("fit", lambda: self.fitting.fit_range(record, name, boards)),
            ("gate", lambda: self.match(name, record, boards)),
        ):
            if part not in record:
                self.display.begin(part, rounds, name)
                record[part] = work()
                self.state.save()
                self.display.end_range(part, name, record)
        self.place(record, f"{len(rounds):03}-{name}")
        report.write(self.folder, self.state, self.display.say)


def round_off(numbers):
    return round(sum(numbers), 1)
