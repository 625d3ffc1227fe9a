#!/usr/bin/env python3
"""Fits the network that plays Tanbo for three and four players to samples, and writes its weights.

    python3 scripts/learn/four.py SAMPLES... --start NETWORK --out four.txt

The samples are those of `tanada samples`, from one or more files for each board and number of players. A batch is of
one board and number of players, and gets a random symmetry. One game in 16 is for validation; which ones depends
on the order of the files. To go on from an earlier fit, give its files first and in the same order, so that its games
for validation stay so. The same files in the same order, options and packages give the same weights. Needs the packages
of scripts/learn/requirements.txt.
"""

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
import rates
from files import replace
from heads import Heads
from network import Network
from samples import Board, batch_of, draw_board, normalisation, records

SEATS = 4
PLANES = 4 * SEATS + 8
SHAPE = PLANES, 3, SEATS  # planes, least and most players of its samples
LEGAL = 1 + SEATS  # the plane of the legal moves of the side to move
CHANNELS, BLOCKS = 16, 3
SEAT_FEATURES, POSITION_FEATURES = 25, 6
QUICK_WEIGHT = 0.3  # of positions without a policy target
RESULT, SEARCH = 0.5, 0.25  # shares of the value target; the rest is the short-term value
ROUNDED_FROM = 0.5
TESTED = 4000  # held-out positions of a board


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


def read(paths):
    """The samples of each board with each number of players, and the number of games."""
    files, games, counts = {}, {}, None
    for path in paths:
        if paths.count(path) > 1:
            raise SystemExit(f"`{path}` is given twice")
        head, found = records(path, *SHAPE)
        counts = counts or head["globals"]
        if head["globals"] != counts:
            raise SystemExit(f"`{path}` has {head['globals']} global features, the files before it {counts}")
        key = head["side"], head["seats"]
        first = games.get(key, 0)
        files.setdefault(key, []).append({"path": path, "first": first, "round": 0})
        games[key] = first + (int(found["game"].max()) + 1 if len(found) else 0)
    names = {key: f"{key[0]}x{key[0]} for {key[1]}" for key in sorted(files)}
    boards = {key: Board(name, files[key], 0, QUICK_WEIGHT, SHAPE) for key, name in names.items()}
    fitted = [key for key, board in boards.items() if board.weight > 0]
    if not fitted:
        raise SystemExit("there are no samples to fit besides those of the games held out")
    return [boards[key] for key in fitted], sum(games[key] for key in fitted)


def targets(found):
    """Of each seat, whether it won, and its search and short-term values."""
    chances = np.zeros((len(found), SEATS, 2), np.float32)
    chances[:, 0] = np.stack([found["value"], found["short"]], 1)
    chances[:, 1 : 1 + found["others"].shape[1]] = found["others"]
    chances = torch.from_numpy(chances)
    winner = torch.from_numpy(found["winner"].astype(np.int64))
    return F.one_hot(winner, SEATS).float(), chances / chances.sum(1, keepdim=True).clamp_min(1)


class Fit:
    def __init__(self, boards, options):
        self.boards, self.options = boards, options
        torch.manual_seed(options.seed)
        self.rng = np.random.default_rng(options.seed)
        mean, spread = normalisation(boards, 5000, self.rng)
        self.network = Network(CHANNELS, BLOCKS, len(mean), mean, spread, PLANES, LEGAL, SEATS)
        self.heads = Heads(CHANNELS, len(mean))
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

    def batch(self, board, numbers, turn=None):
        """The tensors of some samples of a board, and the targets of their values."""
        found = board.take(numbers)
        return batch_of(found, board.side, turn, "cpu", PLANES, SEATS), *targets(found)

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
            for group in self.optimizer.param_groups:
                group["lr"] = rates.cosine(options.rate, step, options.steps, least=0.01)
            self.network.rounded = step >= ROUNDED_FROM * options.steps
            board = draw_board(self.boards, self.rng)
            numbers = board.draw(options.batch, self.rng)
            loss = self.loss(*self.batch(board, numbers, int(self.rng.integers(8))))
            self.optimizer.zero_grad()
            common.check_loss(loss, step)
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimizer.step()
            if (step + 1) % options.tell == 0 or step + 1 == options.steps:
                print(f"step {step + 1}, {time.monotonic() - begin:.0f} s: {self.measure()}", flush=True)

    @torch.no_grad()
    def measure(self):
        """The losses of the held-out games in nats, in the int8 arithmetic of play."""
        before, self.network.rounded = self.network.rounded, True
        found = "; ".join(f"{board.name}: {self.tested(board)}" for board in self.boards)
        self.network.rounded = before
        return found

    def tested(self, board):
        some = np.random.default_rng(7).permutation(board.tests)[:TESTED]
        sums, count, with_policy = np.zeros(3), 0, 0
        for part in np.array_split(some, max(1, len(some) // 250)):
            if not len(part):
                continue
            batch, won, chances = self.batch(board, part)
            values, moves, _, _ = self.outputs(batch)
            known, has_policy = batch.has_result, batch.has_policy
            result = -(won * values.log_softmax(1)).sum(1)[known].sum()
            search = -(won * chances[:, :, 0].clamp_min(0.001).log()).sum(1)[known].sum()
            share = batch.visits[has_policy]
            divergence = (share * (share.clamp_min(1e-9).log() - moves[has_policy].log_softmax(1))).sum()
            sums += [result.item(), search.item(), divergence.item()]
            count, with_policy = count + int(known.sum()), with_policy + int(has_policy.sum())
        if not count or not with_policy:
            return "no held-out game has results and visits"
        result, search, divergence = sums / [count, count, with_policy]
        return f"result {result:.4f} (search {search:.4f}), policy {divergence:.4f}"


def main():
    options = parser().parse_args()
    out = common.output(options)
    torch.set_num_threads(options.threads)
    try:
        boards, games = read(options.samples)
    except OSError as error:
        common.unreadable(error)
    try:
        fit = Fit(boards, options)
    except OSError as error:
        common.unreadable(error)
    count, held_out = sum(int(board.starts[-1]) for board in boards), sum(len(board.tests) for board in boards)
    print(f"{count} positions of {games} games; {held_out} held out", flush=True)
    fit.run()
    replace(out, fit.network.text().encode())


if __name__ == "__main__":
    sys.exit(main())
