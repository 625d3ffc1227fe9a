"""The teacher: a larger float network that learns from the same games and labels the student's samples.

It labels each batch as it is drawn. Stored labels would cost a pass over the whole window after each of its rounds,
about as much as the batches of a fit, and would not fit the symmetry that a batch gets.
"""

import torch

from heads import Heads
from network import Network


class Teacher:
    """Gives its winning chances and its policy."""

    def __init__(self, path, device):
        saved = load(path)
        self.network = build(saved["channels"], saved["blocks"], saved["model"]["mean"], saved["model"]["spread"])[0]
        self.network.load_state_dict(saved["model"])
        self.network.to(device).eval()

    def labels(self, batch):
        with torch.no_grad():
            value, moves = self.network(batch.planes, batch.counts)
            return torch.sigmoid(value), torch.softmax(moves, 1)


def load(path):
    """What a fit saved, on whatever device it ran."""
    return torch.load(path, weights_only=True, map_location="cpu")


def build(channels, blocks, mean, spread):
    """A network with its auxiliary heads."""
    network = Network(channels, blocks, len(mean), mean, spread).to(memory_format=torch.channels_last)
    return network, Heads(channels, len(mean))
