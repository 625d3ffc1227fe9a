"""Shows a run: a table that follows it on a terminal, plain lines elsewhere."""

import contextlib
import sys
import time

import plan as plans

LINE_SECONDS = 60  # Between two plain lines of the same part.
ROWS = 12  # Rounds that the terminal shows.
NEXT = dict(zip(("start", *plans.PARTS), plans.PARTS))  # What follows a part in its round.


@contextlib.contextmanager
def display(plan):
    """The display for where standard output goes."""
    if not sys.stdout.isatty():
        yield Display(plan)
        return
    from rich.live import Live

    shown = Terminal(plan)
    with Live(get_renderable=shown.render, refresh_per_second=2, console=shown.console) as live:
        shown.live = live
        yield shown


def duration(seconds):
    minutes = int(seconds / 60 + 0.5)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 48 * 60 else f"{minutes // 1440} days"


class Display:
    """Follows a run, and writes plain lines."""

    def __init__(self, plan):
        self.plan = plan
        self.rounds, self.part, self.range = [], "start", None
        self.counts, self.fitted = {}, ""
        self.begun = self.told = time.monotonic()
        self.done_here = self.left = self.first_step = 0

    def say(self, text):
        print(text, flush=True)

    def begin(self, part, rounds, name=None):
        """A part of a round begins, or after the last round that of the range of sizes with this name."""
        self.part, self.rounds, self.range = part, rounds, name
        self.counts, self.fitted = {}, ""
        self.begun = self.told = time.monotonic()
        self.done_here = self.left = 0

    def tasks(self, tasks):
        """The tasks of a part: board, games or pairs, estimated seconds, done already."""
        for board, count, estimate, is_done in tasks:
            done, planned = self.counts.get(board, (0, 0))
            self.counts[board] = (done + (count if is_done else 0), planned + count)
            self.left += 0 if is_done else estimate

    def advance(self, board, count, estimate):
        done, planned = self.counts[board]
        self.counts[board] = (done + count, planned)
        self.left -= estimate
        self.done_here += estimate
        self.progress()

    def fit(self, kind, step, steps, loss):
        if not self.fitted.startswith(kind):
            # A fit may go on from a checkpoint, and the time before its first steps says nothing about the others.
            self.first_step, self.begun = step, time.monotonic()
        self.fitted = f"{kind}: step {step} of {steps}, loss {loss:.4f}"
        self.left, self.done_here = steps - step, step - self.first_step
        self.progress()

    def remaining(self):
        """Seconds until the part ends, at the speed so far."""
        if self.done_here <= 0:
            return None
        return self.left * (time.monotonic() - self.begun) / self.done_here

    def after(self):
        """Seconds of what follows this part, by the costs of the last whole round and the plan's estimates."""
        whole = [record for record in self.rounds if "gate" in record]
        if not whole or self.range:
            return None
        last = whole[-1]["round"]
        spent = {part: whole[-1][part]["wall"] for part in plans.PARTS}
        planned = {"play": self.play_seconds, "fit": lambda r: plans.fit_seconds(self.plan, r), "gate": lambda r: 1}
        total, now = 0, self.rounds[-1]
        for round in range(now["round"], self.plan["last"] + 1):
            for part in spent:
                if round > now["round"] or (part not in now and part != self.part):
                    total += spent[part] * planned[part](round) / planned[part](last)
        if fits := plans.range_fits(self.plan):
            growth = plans.fit_seconds(self.plan, self.plan["last"]) / planned["fit"](last)
            total += spent["fit"] * growth * fits + spent["gate"]
        return total

    def play_seconds(self, round):
        counts = plans.games(self.plan, round)
        boards = self.plan["boards"]
        return sum(counts[name] * plans.seconds_of_game(self.plan, round, boards[name]) for name in boards)

    def when(self):
        """How long it still takes, roughly."""
        parts = []
        if (left := self.remaining()) is not None:
            parts.append(f"{self.part} ends in {duration(left)}")
            if (after := self.after()) is not None:
                parts.append(f"the run in {duration(left + after)}")
        return ", ".join(parts)

    def heading(self):
        number = self.rounds[-1]["round"] if self.rounds else 1
        last, names = self.plan["last"], list(plans.ranges(self.plan))
        what = f"Round {number} of {last}, {self.part}"
        if self.range:
            names = names[names.index(self.range) + 1 :]
            what = f"After round {number}, {self.part} for {self.range} boards"
        ending = f"fit for {names[0]} boards" if names else "the end"
        follows = NEXT.get(self.part) or (f"round {number + 1}" if number < last else ending)
        return f"{what}, then {follows}"

    def progress(self):
        if time.monotonic() - self.told < LINE_SECONDS:
            return
        self.told = time.monotonic()
        what = self.fitted or ", ".join(f"{name} {done}/{planned}" for name, (done, planned) in self.counts.items())
        self.say("; ".join(part for part in (f"{self.heading()}: {what}", self.when()) if part))

    def end(self, part, rounds):
        self.say(f"Round {rounds[-1]['round']}, {part}: {summary(part, rounds[-1])}")

    def end_range(self, part, name, record):
        self.say(f"After round {record['round']}, {part} for {name} boards: {summary(part, record)}")


def summary(part, record):
    """A finished part in one line."""
    found = record[part]
    if part == "play":
        games = sum(board["games"] for board in found["boards"].values())
        return f"{games} games, {found['positions']} positions in {duration(found['wall'])}"
    if part == "fit":
        losses = ", ".join(f"{name} {loss['result']:.3f}" for name, loss in found["losses"].items())
        return f"{found['steps']} steps in {duration(found['wall'])}; log losses of the result: {losses}"
    verdict = "accepted" if found["accepted"] else "refused"
    worse = "".join(f"; {name} {own:+.0f}" for name, own in found["worse"].items())
    return f"Elo {found['elo']:+.0f} ({found['low']:+.0f} to {found['high']:+.0f}), {verdict}{worse}"


class Terminal(Display):
    """Follows a run in a table of the terminal."""

    def __init__(self, plan):
        from rich.console import Console

        super().__init__(plan)
        self.console = Console()
        self.live = None

    def say(self, text):
        self.console.print(text, highlight=False, markup=False)

    def progress(self):
        pass

    def end(self, part, rounds):
        pass

    def render(self):
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("round", "games", "positions", "mean loss", "Elo", "network", "time")
        for record in self.rounds[-ROWS:]:
            table.add_row(*row(record))
        lines = [Text(self.heading(), "bold")]
        for name, (done, planned) in self.counts.items():
            filled = int(30 * done / max(1, planned))
            lines.append(Text(f"  {name:14} {'━' * filled}{'╌' * (30 - filled)} {done} of {planned}"))
        if self.fitted:
            lines.append(Text("  " + self.fitted))
        lines.append(Text(self.when() or "the first results tell how long it takes", "dim"))
        return Group(table, *lines)


def row(record):
    """A round in the table."""
    cells = [str(record["round"])] + [""] * 6
    if "play" in record:
        cells[1] = str(sum(board["games"] for board in record["play"]["boards"].values()))
        cells[2] = str(record["play"]["positions"])
    if losses := record.get("fit", {}).get("losses"):
        cells[3] = f"{sum(loss['result'] for loss in losses.values()) / len(losses):.3f}"
    if gate := record.get("gate"):
        cells[4] = f"{gate['elo']:+.0f} ± {(gate['high'] - gate['low']) / 2:.0f}"
        cells[5] = "accepted" if gate["accepted"] else "refused"
    cells[6] = duration(sum(record[part]["wall"] for part in plans.PARTS if part in record))
    return cells
