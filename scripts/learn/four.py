#!/usr/bin/env python3
"""Fits the network that plays Tanbo for three and four players to samples, and writes its weights.

    python3 scripts/learn/four.py SAMPLES... --start NETWORK --out four.txt

The samples are those of `tanada samples` from games of three or four players, all of one board; one game in 16 is for
validation. Each batch gets a random symmetry. The same files, options and packages give the same weights. Needs the
packages of scripts/learn/requirements.txt.
"""

import math
import sys
import time
from pathlib import Path

import options as common


def parser():
    made = common.parser(__doc__, steps=9000, batch=128, rate=0.0015, tell=1000)
    made.add_argument("--start", help="network to begin from: one for three and four players, or for two")
    return made


if __name__ == "__main__" and not {"-h", "--help"}.isdisjoint(sys.argv):
    # Before the imports, which may fail.
    parser().parse_args()

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import losses
import plan
from files import replace
from heads import Heads
from network import Network
from samples import HAS_POLICY, HELD_OUT, UNKNOWN, batch_of, records

SEATS = 4
PLANES = 4 * SEATS + 8
LEGAL = 1 + SEATS  # the plane of the legal moves of the side to move
CHANNELS, BLOCKS = 16, 3
SEAT_FEATURES, POSITION_FEATURES = 25, 6
QUICK_WEIGHT = 0.3  # of positions without a policy target
RESULT, SEARCH = 0.5, 0.25  # shares of the value target; the rest is the short-term value
ROUNDED_FROM = 0.5
TESTED = 4000
WARM_UP = 200  # steps


def widened(text):
    """The text of a network for four from one for two. Each of three opponents gets the weights of the one; the values
    begin at zero, because they mean something else."""
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    lines = [words for words in lines if words]
    planes = [0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7, 8, 8, 8, *range(9, 16)]
    two, made = 2 * SEAT_FEATURES + POSITION_FEATURES, []
    for i, (name, *words) in enumerate(lines):
        values = np.array([float(word) for word in words]) if i else None
        if i == 0:
            words = [*words, str(SEATS), "values"]
        elif name == "numbers":
            rows = values.reshape(two, -1)
            own, other, rest = rows[:SEAT_FEATURES], rows[SEAT_FEATURES:-POSITION_FEATURES], rows[-POSITION_FEATURES:]
            opponents = [other / (SEATS - 1)] * (SEATS - 1)
            words = [f"{value:.7g}" for value in np.concatenate([own, *opponents, rest]).flatten()]
        elif name == "input":
            # Tap, group of four inputs, output, input in the group; the shifts come first.
            shifts, weights = values[:CHANNELS], values[CHANNELS:].reshape(9, -1, CHANNELS, 4)
            weights = weights.transpose(0, 1, 3, 2).reshape(9, -1, CHANNELS)[:, planes]
            weights = weights.reshape(9, -1, 4, CHANNELS).transpose(0, 1, 3, 2)
            words = [f"{value:.0f}" for value in np.concatenate([shifts, weights.flatten()])]
        elif i >= len(lines) - 2:
            words = ["0"] * (len(words) * SEATS)
        made.append(" ".join([name, *words]))
    return "\n".join(made) + "\n"


class Positions:
    """The samples of many files."""

    def __init__(self, paths):
        self.files, self.side, games = [], None, 0
        chances, tests, start = [], [], 0
        for path in paths:
            head, found = records(path, PLANES, 3, SEATS)
            if self.side is None:
                self.side, self.counts = head["side"], head["globals"]
            if (self.side, self.counts) != (head["side"], head["globals"]):
                raise SystemExit(f"`{path}` is of another board than the files before")
            if not len(found):
                continue
            held_out = (games + found["game"]) % HELD_OUT == 0
            games += int(found["game"].max()) + 1
            quick = (found["flags"] & HAS_POLICY) == 0
            chances.append(np.where(held_out, 0, np.where(quick, QUICK_WEIGHT, 1)))
            tests.append(start + np.flatnonzero(held_out & (found["result"] != UNKNOWN)))
            self.files.append(found)
            start += len(found)
        if not any(part.any() for part in chances):
            raise SystemExit("there are no samples to fit besides those of the games held out")
        self.count, self.games = start, games
        self.starts = np.cumsum([0] + [len(found) for found in self.files])
        self.sums = np.cumsum(np.concatenate(chances))
        self.tests = np.concatenate(tests)

    def draw(self, count, rng):
        return np.searchsorted(self.sums, rng.random(count) * self.sums[-1], side="right")

    def batch(self, numbers, turn=None):
        """The tensors of some samples; of each seat, whether it won, and its search and short-term values."""
        numbers = np.sort(numbers)
        which = np.searchsorted(self.starts, numbers, side="right") - 1
        parts = [self.files[i][numbers[which == i] - self.starts[i]] for i in np.unique(which)]
        own = np.concatenate([np.stack([part["value"], part["short"]], 1)[:, None] for part in parts])
        others = np.zeros((len(own), SEATS - 1, 2), np.float32)
        first = 0
        for part in parts:
            others[first : first + len(part), : part["others"].shape[1]] = part["others"]
            first += len(part)
        chances = torch.from_numpy(np.concatenate([own.astype(np.float32), others], 1))
        chances = chances / chances.sum(1, keepdim=True).clamp_min(1)
        winner = torch.from_numpy(np.concatenate([part["winner"] for part in parts]).astype(np.int64))
        # The records differ only in what the tensors do not need.
        names = [name for name in parts[0].dtype.names if name != "others"]
        found = np.concatenate([part[names] for part in parts])
        return batch_of(found, self.side, turn, "cpu", PLANES, SEATS), F.one_hot(winner, SEATS).float(), chances


class Fit:
    def __init__(self, positions, options):
        self.positions, self.options = positions, options
        torch.manual_seed(options.seed)
        self.rng = np.random.default_rng(options.seed)
        some, _, _ = positions.batch(positions.draw(min(20_000, 4 * positions.count), self.rng))
        mean, spread = some.counts.mean(0), some.counts.std(0).clamp_min(0.1)
        self.network = Network(CHANNELS, BLOCKS, positions.counts, mean, spread, PLANES, LEGAL, SEATS)
        self.heads = Heads(CHANNELS, positions.counts)
        if options.start:
            self.read(Path(options.start))
        weights = [*self.network.parameters(), *self.heads.parameters()]
        self.optimizer = torch.optim.AdamW(weights, lr=options.rate, weight_decay=1e-4)
        settings = plan.default()
        self.shares, self.weights = plan.of(settings, "value"), plan.of(settings, "losses")

    def read(self, path):
        """Begins with a network for three and four players, or widens one for two."""
        try:
            text = path.read_text()
            head = next((line.split("#")[0].split() for line in text.splitlines() if line.split("#")[0].strip()), [])
            self.network.read(text if head[-1:] == ["values"] else widened(text))
        except (ValueError, RuntimeError):
            raise SystemExit(f"`{path}` is no network of {CHANNELS} channels and {BLOCKS} blocks") from None

    def outputs(self, batch):
        """The logits of the seats' chances and of the moves, and what the heads take."""
        counts = self.network.normal(batch.counts)
        x = self.network.trunk(batch.planes, counts)
        living = batch.planes[:, 1 : 1 + SEATS].flatten(2).any(2)
        values = self.network.values(x, counts).masked_fill(~living, -1e4)
        return values, self.network.moves(x, batch.planes), x, counts

    def loss(self, batch, won, chances):
        values, moves, x, counts = self.outputs(batch)
        mixed = RESULT * won + SEARCH * chances[:, :, 0] + (1 - RESULT - SEARCH) * chances[:, :, 1]
        # As in the loop, proved values count alone.
        is_mixed = (batch.has_result & ~batch.proved)[:, None]
        target = torch.where(is_mixed, mixed, chances[:, :, 0])
        value = -(target * values.log_softmax(1).clamp_min(-30)).sum(1).mean()
        # The other losses see the chance of the side to move alone.
        own = values[:, 0] - values[:, 1:].logsumexp(1)
        heads = self.heads(x, batch.planes, counts, LEGAL)
        found = losses.parts(own, moves, heads, batch, self.shares)
        return losses.total({**found, "value": value}, self.weights)

    def run(self):
        options, begin = self.options, time.monotonic()
        for step in range(options.steps):
            rate = options.rate * min(1, (step + 1) / WARM_UP)
            rate *= 0.01 + 0.99 * (1 + math.cos(math.pi * step / options.steps)) / 2
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            self.network.rounded = step >= ROUNDED_FROM * options.steps
            numbers = self.positions.draw(options.batch, self.rng)
            loss = self.loss(*self.positions.batch(numbers, int(self.rng.integers(8))))
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimizer.step()
            if (step + 1) % options.tell == 0 or step + 1 == options.steps:
                print(f"step {step + 1}, {time.monotonic() - begin:.0f} s: {self.measure()}", flush=True)

    @torch.no_grad()
    def measure(self):
        """The losses of the held-out games in nats, in the int8 arithmetic of play."""
        some = np.random.default_rng(7).permutation(self.positions.tests)[:TESTED]
        before, self.network.rounded = self.network.rounded, True
        sums, count, with_policy = np.zeros(3), 0, 0
        for part in np.array_split(some, max(1, len(some) // 250)):
            batch, won, chances = self.positions.batch(part)
            values, moves, _, _ = self.outputs(batch)
            result = -(won * values.log_softmax(1)).sum()
            search = -(won * chances[:, :, 0].clamp_min(0.001).log()).sum()
            has_policy = batch.has_policy
            share = batch.visits[has_policy]
            divergence = (share * (share.clamp_min(1e-9).log() - moves[has_policy].log_softmax(1))).sum()
            sums += [result.item(), search.item(), divergence.item()]
            count, with_policy = count + len(won), with_policy + int(has_policy.sum())
        self.network.rounded = before
        if not count or not with_policy:
            return "no held-out game has results and visits"
        result, search, divergence = sums / [count, count, with_policy]
        return f"result {result:.4f} (search {search:.4f}), policy {divergence:.4f}"


def main():
    options = parser().parse_args()
    out = common.output(options)
    torch.set_num_threads(options.threads)
    try:
        fit = Fit(Positions(options.samples), options)
    except OSError as error:
        common.unreadable(error)
    positions = fit.positions
    print(f"{positions.count} positions of {positions.games} games; {len(positions.tests)} held out", flush=True)
    fit.run()
    replace(out, fit.network.text().encode())


if __name__ == "__main__":
    sys.exit(main())
