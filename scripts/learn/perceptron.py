#!/usr/bin/env python3
"""Fits the perceptron that plays Taratibu to samples, and writes its weights.

    python3 scripts/learn/perceptron.py SAMPLES... --out weights.txt

The samples are those of `tanada samples` from games of Taratibu; one game in 16 is for validation. Each batch gets a
random symmetry of the board. The same files, options and packages give the same weights. Needs the packages of
scripts/learn/requirements.txt.
"""

import sys
import time

import options as common


def parser():
    made = common.parser(__doc__, steps=12_000, batch=512, rate=0.003, tell=2000)
    made.add_argument(
        "--policy-weight", type=common.positive, default=0.3, help="weight of the policy's loss (default: 0.3)"
    )
    return made


if __name__ == "__main__" and not {"-h", "--help"}.isdisjoint(sys.argv):
    # Before the imports, which may fail.
    parser().parse_args()

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import rates
from files import replace
from samples import HAS_POLICY, HELD_OUT, PLAYED, UNKNOWN, order_of, records

SIDE = 7
SQUARES = SIDE * SIDE
KINDS = 10
TURNS = 10
DISTANCES = 3 * KINDS  # the last global features, in steps; 0 if far
NEAR = 6  # the largest of them
NUMBERS = 58  # the first global features; then come the turn and the steps left
GLOBALS = NUMBERS + 2 + DISTANCES
UNITS, SECOND = 64, 16
UNIT, LARGEST = 128, 511  # of the whole weights in the text
SPENT = 2 * KINDS * SQUARES
MOMENT = SPENT + KINDS
DISTANCE = MOMENT + TURNS * (TURNS + 1) // 2
FACTS = DISTANCE + DISTANCES * NEAR
CAPTURE = KINDS * SQUARES
MOVES = CAPTURE + KINDS * (KINDS + 1)
PLANES = 2 * KINDS + 1


class Positions:
    """Samples of many files as facts and targets. A square of -1 is that of a captured piece."""

    def __init__(self, paths):
        parts, first = [], 0
        for path in paths:
            head, found = records(path, PLANES)
            if (head["side"], head["points"], head["globals"], head["moves"]) != (SIDE, SQUARES, GLOBALS, CAPTURE):
                raise SystemExit(f"`{path}` has no samples of Taratibu")
            if len(found):
                parts.append(self.read(found, first))
                first += int(found["game"].max()) + 1
        if not parts:
            raise SystemExit("there are no samples to fit")
        for name in parts[0]:
            setattr(self, name, torch.from_numpy(np.concatenate([part[name] for part in parts])))

    @staticmethod
    def read(found, first):
        planes = np.ascontiguousarray(found["planes"])
        squares = np.full((len(found), 2 * KINDS), -1, np.int16)
        spent = np.zeros((len(found), KINDS), bool)
        for piece in range(2 * KINDS):
            is_here = (planes >> piece & 1).astype(bool)
            rows = np.flatnonzero(is_here.any(1))
            squares[rows, piece] = is_here[rows].argmax(1)
            if piece < KINDS:
                spent[rows, piece] = planes[rows, squares[rows, piece]] >> 2 * KINDS & 1
        counts = np.ascontiguousarray(found["counts"])
        steps = np.rint(10 * counts[:, -DISTANCES - 2 :]).astype(np.int16)
        turn, left = steps[:, 0], steps[:, 1]
        return {
            "squares": squares,
            "spent": spent,
            "moment": turn * (turn - 1) // 2 + left - 1,
            "numbers": counts[:, : -DISTANCES - 2],
            "distances": steps[:, 2:],
            "visits": np.ascontiguousarray(found["visits"]),
            "value": (found["value"] / 65535).astype(np.float32),
            "short": (found["short"] / 65535).astype(np.float32),
            "result": np.ascontiguousarray(found["result"]),
            "flags": np.ascontiguousarray(found["flags"]),
            "game": found["game"].astype(np.int64) + first,
        }


def turned(squares, turn):
    """Squares in one of the eight symmetries; -1 stays."""
    order = np.append(np.argsort(order_of(SIDE, turn)), -1)
    return torch.from_numpy(order)[squares]


class Perceptron(nn.Module):
    def __init__(self, numbers):
        super().__init__()
        self.facts = nn.EmbeddingBag(FACTS + 1, UNITS, mode="sum", padding_idx=FACTS)
        self.numbers = nn.Linear(numbers, UNITS)
        self.moves = nn.Embedding(MOVES, UNITS)
        self.move_bias = nn.Parameter(torch.zeros(MOVES))
        self.second = nn.Linear(UNITS, SECOND)
        self.last = nn.Linear(SECOND, 1)
        for rows in (self.facts, self.moves):
            nn.init.normal_(rows.weight, std=0.05)

    def units(self, positions, chosen, turn):
        """The first hidden layer, for positions in one of the symmetries."""
        squares = turned(positions.squares[chosen].long(), turn)
        pieces = squares + SQUARES * torch.arange(2 * KINDS)
        distances = positions.distances[chosen].long()
        near = DISTANCE + NEAR * torch.arange(DISTANCES) + distances - 1
        kinds = SPENT + torch.arange(KINDS)
        facts = [
            torch.where(squares >= 0, pieces, FACTS),
            torch.where(positions.spent[chosen], kinds, FACTS),
            MOMENT + positions.moment[chosen].long()[:, None],
            torch.where(distances > 0, near, FACTS),
        ]
        return torch.relu(self.facts(torch.cat(facts, 1)) + self.numbers(positions.numbers[chosen]))

    def value(self, units):
        """The logit of the winning chance."""
        return self.last(torch.relu(self.second(units)))[:, 0]

    def policy(self, units, positions, chosen, turn):
        """The logits of the visited moves, with the visits' shares; other places of the rows are empty."""
        visits = positions.visits[chosen].float()
        most = int((visits > 0).sum(1).max())
        share, place = visits.topk(most)
        kind, to = place // SQUARES, place % SQUARES
        enemies = positions.squares[chosen].long()[:, KINDS:]
        hit = enemies[:, None, :] == to[:, :, None]
        captured = torch.where(hit.any(2), hit.int().argmax(2), KINDS)
        step = kind * SQUARES + turned(to, turn)
        capture = CAPTURE + kind * (KINDS + 1) + captured
        logits = ((self.moves(step) + self.moves(capture)) * units[:, None]).sum(2)
        logits = logits + self.move_bias[step] + self.move_bias[capture]
        return logits.masked_fill(share == 0, -1e9), share / share.sum(1, keepdim=True)

    def text(self):
        """The weights as play reads them."""
        facts, moves = self.facts.weight[:FACTS], self.moves.weight
        layers = [
            ("facts", facts, True), ("numbers", self.numbers.weight.T, False), ("bias", self.numbers.bias, False),
            ("moves", moves, True), ("bias", self.move_bias, False), ("units", self.second.weight.T, False),
            ("bias", self.second.bias, False), ("units", self.last.weight, False), ("bias", self.last.bias, False),
        ]
        lines = [f"network {UNITS} units {FACTS} facts {self.numbers.in_features} numbers {MOVES} moves"]
        for name, weights, is_whole in layers:
            weights = weights.detach().numpy().flatten()
            if is_whole:
                words = map(str, np.rint(UNIT * weights).clip(-LARGEST, LARGEST).astype(int))
            else:
                words = (f"{weight:.5g}" for weight in weights)
            lines.append(f"{name} {' '.join(words)}")
        return "\n".join(lines) + "\n"


class Fit:
    def __init__(self, positions, options):
        self.positions, self.options = positions, options
        torch.manual_seed(options.seed)
        self.network = Perceptron(positions.numbers.shape[1])
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=options.rate, weight_decay=1e-4)
        has_result = positions.result != UNKNOWN
        won = torch.where(has_result, positions.result.float(), 0.5)
        mixed = 0.5 * positions.value + 0.25 * positions.short + 0.25 * won
        self.won, self.target = won, torch.where(has_result, mixed, positions.value)
        held_out = positions.game % HELD_OUT == 0
        has_policy = (positions.flags & HAS_POLICY) != 0
        is_played = (positions.flags & PLAYED) != 0
        self.training, self.with_policy, self.tests, self.policy_tests = (
            torch.nonzero(which)[:, 0]
            for which in (~held_out, ~held_out & has_policy, held_out & has_result & is_played, held_out & has_policy)
        )
        if not len(self.with_policy):
            raise SystemExit("no sample has a policy target")

    def run(self):
        options, begin = self.options, time.monotonic()
        loss_of = functional.binary_cross_entropy_with_logits
        for step in range(options.steps):
            for group in self.optimizer.param_groups:
                group["lr"] = rates.cosine(options.rate, step, options.steps, least=0)
            turn = int(torch.randint(8, ()))
            chosen, other = (self.draw(places) for places in (self.training, self.with_policy))
            units = self.network.units(self.positions, torch.cat([chosen, other]), turn)
            value = loss_of(self.network.value(units), self.target[torch.cat([chosen, other])])
            logits, share = self.network.policy(units[len(chosen) :], self.positions, other, turn)
            policy = -(share * logits.log_softmax(1).clamp_min(-30)).sum(1).mean()
            self.optimizer.zero_grad()
            loss = value + options.policy_weight * policy
            common.check_loss(loss, step)
            loss.backward()
            self.optimizer.step()
            if (step + 1) % options.tell == 0 or step + 1 == options.steps:
                print(f"step {step + 1}, {time.monotonic() - begin:.0f} s: {self.losses()}", flush=True)

    def draw(self, places):
        return places[torch.randint(len(places), (self.options.batch,))]

    @torch.no_grad()
    def losses(self):
        """The losses of the held-out games, in nats."""
        if not len(self.tests) or not len(self.policy_tests):
            return "no games are held out"
        network, positions = self.network, self.positions
        tests, policy_tests = self.tests, self.policy_tests
        logits = torch.cat([network.value(network.units(positions, part, 0)) for part in tests.split(4096)])
        result = functional.binary_cross_entropy_with_logits(logits, self.won[tests])
        search = functional.binary_cross_entropy(positions.value[tests].clamp(0.001, 0.999), self.won[tests])
        divergence, hits = 0.0, 0
        for part in policy_tests.split(4096):
            logits, share = network.policy(network.units(positions, part, 0), positions, part, 0)
            divergence += (share * (share.clamp_min(1e-9).log() - logits.log_softmax(1))).sum().item()
            hits += (logits.argmax(1) == share.argmax(1)).sum().item()
        count = len(policy_tests)
        return (
            f"result {result:.4f} (search {search:.4f}), policy {divergence / count:.4f},"
            f" best move {100 * hits / count:.1f} %"
        )


def main():
    options = parser().parse_args()
    out = common.output(options)
    torch.set_num_threads(options.threads)
    try:
        positions = Positions(options.samples)
    except OSError as error:
        common.unreadable(error)
    fit = Fit(positions, options)
    count = len(torch.unique(fit.positions.game))
    print(f"{len(fit.positions.game)} positions of {count} games; {len(fit.tests)} held out", flush=True)
    fit.run()
    replace(out, fit.network.text().encode())


if __name__ == "__main__":
    sys.exit(main())
