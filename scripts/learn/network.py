"""The network that Tanada plays with (`src/network/model.rs`): its layers, and its text.

Quantisation-aware training rounds activations and weights to the int8 values of play (Jacob et al., "Quantization and
training of neural networks", 2018).
"""

import torch
import torch.nn.functional as F
from torch import nn

PLANES = 16
LEGAL = 3  # the plane of the legal moves of the side to move
UNIT = 32  # the int8 activation that represents 1, see src/network/model.rs
TOP = 127
FIRST, SECOND = 64, 16


def straight_through(x, rounded):
    return x + (rounded - x).detach()


class Activation(torch.autograd.Function):
    """The clipped ReLU, on request rounded to the values of play; the gradient ignores the rounding, and is 0 at
    the bounds. As one function it takes a quarter off the time of a step."""

    @staticmethod
    def forward(ctx, x, is_rounded):
        ctx.save_for_backward(x)
        y = x.clamp(0, TOP / UNIT)
        return y.mul_(UNIT).round_().div_(UNIT) if is_rounded else y

    @staticmethod
    def backward(ctx, gradient):
        return torch.ops.aten.hardtanh_backward(gradient, *ctx.saved_tensors, 0, TOP / UNIT), None


def shifts(weight):
    """The right shift of each output channel: the largest that keeps its quantised weights in range."""
    largest = weight.detach().abs().flatten(1).max(1)[0].clamp_min(1e-4)
    return torch.floor(torch.log2(TOP / largest)).clamp(1, 12)


def pool(x):
    """Sum and mean of each channel."""
    sums = x.sum((2, 3))
    return torch.cat([sums / 64, sums / (x.shape[2] * x.shape[3])], 1)


def spatial(bias):
    return bias[:, :, None, None]


def legal_only(logits, planes, legal=LEGAL):
    return logits.masked_fill(planes[:, legal].flatten(1) == 0, -1e9)


class Network(nn.Module):
    def __init__(self, channels, blocks, counts, mean, spread, planes=PLANES, legal=LEGAL, values=1):
        super().__init__()
        c = channels
        self.legal, self.values_text = legal, "" if values == 1 else f" {values} values"
        self.rounded = False
        self.register_buffer("mean", mean)
        self.register_buffer("spread", spread)
        self.numbers = nn.Linear(counts, c)
        self.input = nn.Conv2d(planes, c, 3, padding=1, bias=False)
        convolution = lambda: nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.firsts = nn.ModuleList(convolution() for _ in range(blocks))
        self.pooled = nn.ModuleList(nn.Linear(2 * c, c) for _ in range(blocks))
        self.seconds = nn.ModuleList(convolution() for _ in range(blocks))
        self.biases = nn.ParameterList(torch.zeros(c) for _ in range(blocks))
        self.policy = nn.Conv2d(c, 1, 1, bias=False)
        self.value1 = nn.Linear(2 * c + counts, FIRST)
        self.value2 = nn.Linear(FIRST, SECOND)
        self.value3 = nn.Linear(SECOND, values)
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
        return Activation.apply(x, self.rounded)

    def normal(self, counts):
        """The global features as the layers take them."""
        return (counts - self.mean) / self.spread

    def trunk(self, planes, counts):
        """The trunk's output for planes and normalised global features."""
        x = F.conv2d(planes, self.weights(self.input), padding=1)
        x = self.activate(x + spatial(self.numbers(counts)))
        for first, pooled, second, bias in zip(self.firsts, self.pooled, self.seconds, self.biases):
            y = F.conv2d(x, self.weights(first), padding=1) + spatial(pooled(pool(x)))
            y = self.activate(y)
            x = self.activate(x + F.conv2d(y, self.weights(second), bias, padding=1))
        return x

    def values(self, x, counts):
        """The value logits, from the trunk's output."""
        value = F.relu(self.value1(torch.cat([pool(x), counts], 1)))
        return self.value3(F.relu(self.value2(value)))

    def value(self, x, counts):
        """The logit of the winning chance of the side to move, of a network with one value."""
        return self.values(x, counts)[:, 0]

    def moves(self, x, planes):
        """The logits of the moves, from the trunk's output."""
        return legal_only(self.policy(x)[:, 0].flatten(1), planes, self.legal)

    def forward(self, planes, counts):
        counts = self.normal(counts)
        x = self.trunk(planes, counts)
        return self.value(x, counts), self.moves(x, planes)

    def read(self, text):
        """Reads the weights from the text of a network."""
        lines = [line.split("#")[0].split() for line in text.splitlines()]
        lines = iter([words for words in lines if words])
        blocks, channels = len(self.firsts), self.policy.weight.shape[1]
        head = f"network {channels} channels {blocks} blocks{self.values_text}"
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
        for first, pooled, second, bias in zip(self.firsts, self.pooled, self.seconds, self.biases):
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
        lines = [f"network {channels} channels {blocks} blocks{self.values_text}"]

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
        for first, pooled, second, bias in zip(self.firsts, self.pooled, self.seconds, self.biases):
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
