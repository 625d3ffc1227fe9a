#!/usr/bin/env python3
"""Trains the network on samples of `tanada samples` and writes it as text.

    python3 scripts/network/train.py --steps 60000 --out network.txt FILE...

Samples of several board sizes may be mixed; one network serves all of them. The last games of each file are held out
for validation. The value head is trained on the mean of the search's value and the game's result (on the value alone
if the result is unknown), the policy head on the visit counts. The losses go to `OUT.csv` and their curves to
`OUT.svg`. The same samples, steps, seed and threads give the same network if the packages compute the same.

The layers are those of `src/network/model.rs`. The second part of the training is quantisation-aware: activations and
weights are rounded to the int8 values of play (Jacob et al., "Quantization and training of neural networks", 2018).
"""

import argparse
import csv
import math
import os
import time

PLANES = 16
LEGAL = 3  # the plane of the legal moves of the side to move
UNIT = 32  # the int8 activation that represents 1, see src/network/model.rs
TOP = 127
CHANNELS, BLOCKS = 16, 32  # channels that play supports, and the highest number of blocks
FIRST, SECOND = 64, 16
TAIL = 14  # bytes of a record behind those of the points
UNKNOWN = 2
HELD_OUT = 0.06
TESTED = 4000


def number(kind, least, most):
    """A parser for numbers from `least` to `most`."""

    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            whole = "whole " if kind is int else ""
            expected = f"expected a {whole}number from {least} to {most}"
            raise argparse.ArgumentTypeError(f"invalid value `{text}`: {expected}")
        return value

    return parse


def parsed():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="samples of one board size")
    parser.add_argument("--out", required=True, help="file for the network")
    parser.add_argument("--blocks", type=number(int, 0, BLOCKS), default=3, help="residual blocks [3]")
    parser.add_argument("--steps", type=number(int, 1, 10**9), default=60_000, help="training steps [60000]")
    parser.add_argument("--batch", type=number(int, 1, 10**6), default=256, help="samples per step [256]")
    parser.add_argument("--rate", type=number(float, 1e-9, 1), default=2e-3, help="peak learning rate [0.002]")
    parser.add_argument(
        "--value-share", type=number(float, 0, 1), default=0.5,
        help="weight of the search's value in the value target; the rest is the result [0.5]",
    )
    parser.add_argument(
        "--rounded-from", type=number(float, 0, 1), default=0.5,
        help="share of the steps before quantisation-aware training begins [0.5]",
    )
    parser.add_argument("--threads", type=number(int, 1, 256), default=2, help="threads [2]")
    parser.add_argument("--seed", type=number(int, 0, 2**63 - 1), default=1, help="random seed [1]")
    parser.add_argument("--from", dest="start", metavar="FILE", help="network to start from [random weights]")
    return parser.parse_args()


if __name__ == "__main__":
    # Parsed before the imports, which take seconds and may fail.
    ARGUMENTS = parsed()

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Board:
    """The samples of one file, split into training and validation samples."""

    def __init__(self, path):
        with open(path, "rb") as file:
            words = file.readline().decode("ascii", "replace").split()
            if words[:3] != ["tanada", "samples", "side"]:
                raise SystemExit(f"`{path}` is not a file of `tanada samples`")
            head = dict(zip(words[2::2], map(int, words[3::2])))
            raw = np.frombuffer(file.read(), np.uint8)
        self.name = path
        self.side, self.points, self.count = head["side"], head["points"], head["globals"]
        if head["planes"] != PLANES:
            raise SystemExit(f"`{path}` has {head['planes']} planes; expected {PLANES}")
        if len(raw) % head["bytes"]:
            raise SystemExit(f"`{path}` ends in the middle of a sample")
        raw = raw.reshape(-1, head["bytes"])
        # The last bytes of a record are those of TAIL; the number of the game comes last.
        game = np.ascontiguousarray(raw[:, -4:]).view("<u4")[:, 0]
        self.games = int(game[-1]) + 1 if len(game) else 0
        if self.games < 20:
            raise SystemExit(f"`{path}` has {self.games} games; at least 20 are needed")
        cut = int(np.searchsorted(game, int(self.games * (1 - HELD_OUT))))
        played = cut + np.flatnonzero(raw[cut:, -TAIL + 6] != UNKNOWN)
        self.train, self.test = raw[:cut], raw[played]

    def batch(self, raw, rng):
        """Returns planes, global features, visits, value, result, and whether the result is known. With a random
        generator, each batch gets a random symmetry."""
        numbers = 4 * self.count
        shape = (-1, self.side, self.side)
        planes, visits = np.split(raw[:, numbers : numbers + 5 * self.points], [4 * self.points], 1)
        planes = np.ascontiguousarray(planes).view("<u4").reshape(shape)
        visits = visits.reshape(shape).astype(np.float32)
        if rng is not None:
            turn = int(rng.integers(8))
            for axis in (1, 2):
                if turn & axis:
                    planes, visits = np.flip(planes, axis), np.flip(visits, axis)
            if turn & 4:
                planes, visits = planes.transpose(0, 2, 1), visits.transpose(0, 2, 1)
        bits = (planes[:, None] >> np.arange(PLANES, dtype=np.uint32)[None, :, None, None]) & 1
        visits = np.ascontiguousarray(visits).reshape(-1, self.points)
        visits /= np.maximum(visits.sum(1, keepdims=True), 1)
        counts = np.ascontiguousarray(raw[:, :numbers]).view("<f4")
        value = np.ascontiguousarray(raw[:, -TAIL + 2 : -TAIL + 4]).view("<u2")[:, 0]
        result = raw[:, -TAIL + 6]
        return (
            torch.from_numpy(bits.astype(np.float32)).to(memory_format=torch.channels_last),
            torch.from_numpy(counts),
            torch.from_numpy(visits),
            torch.from_numpy(value.astype(np.float32) / 65535),
            torch.from_numpy((result == 1).astype(np.float32)),
            torch.from_numpy(result != UNKNOWN),
        )


def straight_through(x, rounded):
    return x + (rounded - x).detach()


def shifts(weight):
    """The right shift of each output channel: the largest that keeps its quantised weights in range."""
    largest = weight.detach().abs().flatten(1).max(1)[0].clamp_min(1e-4)
    return torch.floor(torch.log2(TOP / largest)).clamp(1, 12)


class Network(nn.Module):
    def __init__(self, channels, blocks, counts, mean, spread):
        super().__init__()
        c = channels
        self.rounded = False
        self.register_buffer("mean", mean)
        self.register_buffer("spread", spread)
        self.numbers = nn.Linear(counts, c)
        self.input = nn.Conv2d(PLANES, c, 3, padding=1, bias=False)
        convolution = lambda: nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.firsts = nn.ModuleList(convolution() for _ in range(blocks))
        self.pooled = nn.ModuleList(nn.Linear(2 * c, c) for _ in range(blocks))
        self.seconds = nn.ModuleList(convolution() for _ in range(blocks))
        self.biases = nn.ParameterList(torch.zeros(c) for _ in range(blocks))
        self.policy = nn.Conv2d(c, 1, 1, bias=False)
        self.value1 = nn.Linear(2 * c + counts, FIRST)
        self.value2 = nn.Linear(FIRST, SECOND)
        self.value3 = nn.Linear(SECOND, 1)
        for layer in self.pooled:
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        for layer in self.seconds:
            layer.weight.data *= 0.5

    def weights(self, layer):
        weight = layer.weight
        if not self.rounded:
            return weight
        scale = (2 ** shifts(weight))[:, None, None, None]
        return straight_through(weight, torch.round(weight * scale).clamp(-TOP, TOP) / scale)

    def activate(self, x):
        x = x.clamp(0, TOP / UNIT)
        return straight_through(x, torch.round(x * UNIT) / UNIT) if self.rounded else x

    def forward(self, planes, counts):
        area = planes.shape[2] * planes.shape[3]
        counts = (counts - self.mean) / self.spread

        def pool(x):
            sums = x.sum((2, 3))
            return torch.cat([sums / 64, sums / area], 1)

        def spatial(bias):
            return bias[:, :, None, None]

        x = F.conv2d(planes, self.weights(self.input), padding=1)
        x = self.activate(x + spatial(self.numbers(counts)))
        for first, pooled, second, bias in zip(
            self.firsts, self.pooled, self.seconds, self.biases
        ):
            y = F.conv2d(x, self.weights(first), padding=1) + spatial(pooled(pool(x)))
            y = self.activate(y)
            x = self.activate(x + F.conv2d(y, self.weights(second), bias, padding=1))
        value = F.relu(self.value1(torch.cat([pool(x), counts], 1)))
        value = self.value3(F.relu(self.value2(value)))[:, 0]
        moves = self.policy(x)[:, 0].flatten(1)
        return value, moves.masked_fill(planes[:, LEGAL].flatten(1) == 0, -1e9)

    def read(self, text):
        """Reads the weights from the text of a network."""
        lines = [line.split("#")[0].split() for line in text.splitlines()]
        lines = iter([words for words in lines if words])
        blocks, channels = len(self.firsts), self.policy.weight.shape[1]
        head = f"network {channels} channels {blocks} blocks"
        if " ".join(next(lines, [])) != head:
            raise SystemExit(f"the network has another shape: expected `{head}`")

        def get(name):
            words = next(lines, ["nothing"])
            if words[0] != name:
                raise SystemExit(f"the network has `{words[0]}` where `{name}` is expected")
            return torch.tensor([float(word) for word in words[1:]])

        def rows(name, layer):
            """Reads a weight matrix stored input by input."""
            outputs = layer.weight.shape[0]
            return get(name).reshape(-1, outputs).t()

        def convolution(name, layer):
            outputs, inputs = layer.weight.shape[:2]
            numbers = get(name)
            weight = numbers[outputs:].reshape(9, inputs // 4, outputs, 4).permute(2, 1, 3, 0)
            weight = weight.reshape(outputs, inputs, 3, 3)
            layer.weight.data.copy_(weight / (2 ** numbers[:outputs])[:, None, None, None])

        def scaled(weight, bias):
            """Converts weights of raw global features to weights of normalised ones."""
            return weight * self.spread, bias + weight @ self.mean

        def numbers(layer, columns, weight):
            weight, bias = scaled(weight, get("bias"))
            layer.weight.data[:, columns:].copy_(weight)
            layer.bias.data.copy_(bias)

        numbers(self.numbers, 0, rows("numbers", self.numbers))
        convolution("input", self.input)
        for first, pooled, second, bias in zip(
            self.firsts, self.pooled, self.seconds, self.biases
        ):
            convolution("first", first)
            pooled.weight.data.copy_(rows("pooled", pooled))
            pooled.bias.data.copy_(get("bias"))
            convolution("second", second)
            bias.data.copy_(get("bias"))
        self.policy.weight.data.copy_(get("policy").reshape(1, channels, 1, 1))
        self.value1.weight.data[:, : 2 * channels].copy_(rows("pooled", self.value1))
        numbers(self.value1, 2 * channels, rows("numbers", self.value1))
        for layer in (self.value2, self.value3):
            layer.weight.data.copy_(rows("units", layer))
            layer.bias.data.copy_(get("bias"))
        if next(lines, None):
            raise SystemExit("the network is followed by more lines")

    def text(self):
        """The text of the network, in the format that `src/network/model.rs` reads."""
        blocks, channels = len(self.firsts), self.policy.weight.shape[1]
        lines = [f"network {channels} channels {blocks} blocks"]

        def put(name, *tensors):
            numbers = torch.cat([t.detach().flatten().double() for t in tensors])
            lines.append(" ".join([name] + ["%.7g" % x for x in numbers.tolist()]))

        def convolution(name, layer):
            weight = layer.weight.detach()
            shift = shifts(weight)
            weight = torch.round(weight * (2**shift)[:, None, None, None]).clamp(-TOP, TOP)
            outputs, inputs = weight.shape[:2]
            # Order: tap, group of four inputs, output, input in the group.
            weight = weight.permute(2, 3, 1, 0).reshape(9, inputs // 4, 4, outputs)
            put(name, shift, weight.permute(0, 1, 3, 2))

        def unscaled(weight, bias):
            """Converts weights of normalised global features to weights of raw ones."""
            weight = weight.detach().double() / self.spread
            return weight.t(), bias.detach().double() - weight @ self.mean.double()

        weight, bias = unscaled(self.numbers.weight, self.numbers.bias)
        put("numbers", weight)
        put("bias", bias)
        convolution("input", self.input)
        for first, pooled, second, bias in zip(
            self.firsts, self.pooled, self.seconds, self.biases
        ):
            convolution("first", first)
            put("pooled", pooled.weight.t())
            put("bias", pooled.bias)
            convolution("second", second)
            put("bias", bias)
        put("policy", self.policy.weight)
        put("pooled", self.value1.weight[:, : 2 * channels].t())
        weight, bias = unscaled(self.value1.weight[:, 2 * channels :], self.value1.bias)
        put("numbers", weight)
        put("bias", bias)
        for layer in (self.value2, self.value3):
            put("units", layer.weight.t())
            put("bias", layer.bias)
        return "\n".join(lines) + "\n"


def losses(network, board, raw, rng, value_share):
    """Returns the training loss, the log loss of the result, the KL divergence of the policy from the visits, and the log
    loss of the search's value."""
    planes, counts, visits, value, won, known = board.batch(raw, rng)
    score, moves = network(planes, counts)
    target = torch.where(known, value_share * value + (1 - value_share) * won, value)
    judged = F.binary_cross_entropy_with_logits(score, target)
    cross = -(visits * torch.log_softmax(moves, 1)).sum()
    entropy = -(visits * torch.log(visits.clamp_min(1e-9))).sum()
    positions = (visits.sum(1) > 0).sum().clamp_min(1)
    result = F.binary_cross_entropy_with_logits(score[known], won[known])
    search = F.binary_cross_entropy(value[known].clamp(1 / 256, 255 / 256), won[known])
    loss = judged + cross / positions
    return loss, result.detach(), ((cross - entropy) / positions).detach(), search


def test(network, boards):
    """Returns for each board the log loss of the result, the same of the search that played, and the KL divergence of the
    policy, with int8 arithmetic as in play."""
    rounded, network.rounded = network.rounded, True
    network.eval()
    rows = []
    with torch.no_grad():
        for board in boards:
            some = np.random.default_rng(7).permutation(len(board.test))[:TESTED]
            sums, total = np.zeros(3), 0
            for part in np.array_split(some, max(1, len(some) // 500)):
                _, result, moves, search = losses(network, board, board.test[part], None, 1.0)
                sums += len(part) * np.array([float(result), float(search), float(moves)])
                total += len(part)
            rows.append(sums / total)
    network.train()
    network.rounded = rounded
    return rows


def labels(boards):
    """The names of the files in reports: their board sizes, numbered if several are the same."""
    sides = [board.side for board in boards]
    return [
        f"{side}x{side}" + (f" ({sides[:i + 1].count(side)})" if sides.count(side) > 1 else "")
        for i, side in enumerate(sides)
    ]


def plot(path, boards, history):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5))
    names = labels(boards)
    for i, name in enumerate(names):
        at = [seen / 1e6 for seen, _ in history]
        (line,) = axes[0].plot(at, [rows[i][0] for _, rows in history], label=name)
        axes[0].axhline(history[-1][1][i][1], color=line.get_color(), ls=":", lw=0.8)
        axes[1].plot(at, [rows[i][2] for _, rows in history], label=name)
    axes[0].set_title("log loss of the result, held-out games\n(dotted: the search that played them)")
    axes[1].set_title("divergence from the visits, held-out games")
    for axis in axes:
        axis.set_xlabel("million samples seen")
        axis.set_ylabel("nats")
        axis.legend()
    figure.tight_layout()
    figure.savefig(path)


def main(arguments):
    # Fails now, not after hours of training, if a file cannot be written.
    for kind in ("", ".csv", ".svg"):
        path = arguments.out + kind
        is_new = not os.path.exists(path)
        try:
            with open(path, "a"):
                pass
            if is_new:
                os.remove(path)
        except OSError as error:
            raise SystemExit(f"`{path}` cannot be written: {error.strerror}")
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    rng = np.random.default_rng(arguments.seed)
    boards = [Board(path) for path in arguments.files]
    for board in boards:
        print(
            f"{board.name}: {board.games} games, {len(board.train)} samples, "
            f"{len(board.test)} held out",
            flush=True,
        )
    count = boards[0].count
    some = [b.train[rng.integers(len(b.train), size=20000), : 4 * count] for b in boards]
    some = torch.from_numpy(np.concatenate(some).view("<f4"))
    network = Network(
        CHANNELS, arguments.blocks, count, some.mean(0), some.std(0).clamp_min(0.1)
    ).to(memory_format=torch.channels_last)
    if arguments.start:
        with open(arguments.start) as file:
            network.read(file.read())
    optimizer = torch.optim.AdamW(network.parameters(), lr=arguments.rate, weight_decay=1e-4)
    # Large boards have fewer samples and cost more time. The square root samples them less often than small ones, but
    # more often than their share.
    chances = np.array([len(board.train) ** 0.5 for board in boards])
    chances /= chances.sum()
    start, step, history, told = time.time(), 0, [], 0
    while True:
        passed = step / arguments.steps
        # Reports at the beginning, at the end, and after each twentieth of the steps.
        if 20 * step >= told * arguments.steps:
            rows = test(network, boards)
            seen = step * arguments.batch
            history.append((seen, rows))
            each = ", ".join(
                f"{name}: {row[0]:.4f} ({row[1]:.4f}) {row[2]:.4f}"
                for name, row in zip(labels(boards), rows)
            )
            print(f"{(time.time() - start) / 60:.1f} min, {seen} samples: {each}", flush=True)
            told += 1
        if step == arguments.steps:
            break
        network.rounded = passed >= arguments.rounded_from
        warm = min(1, (step + 1) / 200)
        rate = arguments.rate * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * passed)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        board = boards[rng.choice(len(boards), p=chances)]
        raw = board.train[rng.integers(len(board.train), size=arguments.batch)]
        loss = losses(network, board, raw, rng, arguments.value_share)[0]
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step += 1
    with open(arguments.out, "w") as file:
        file.write(network.text())
    with open(arguments.out + ".csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["samples", "board", "result", "search", "moves"])
        for seen, parts in history:
            for name, part in zip(labels(boards), parts):
                rows.writerow([seen, name] + [f"{x:.4f}" for x in part])
    plot(arguments.out + ".svg", boards, history)


if __name__ == "__main__":
    main(ARGUMENTS)
