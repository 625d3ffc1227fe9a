"""Auxiliary heads: they shape the trunk during a fit and are no part of the text network."""

import torch
from torch import nn

from network import LEGAL, legal_only, pool

POINT = {"first": 3, "holder": 3, "survival": 1, "soft_policy": 1, "reply": 1}  # channels of each point
WHOLE = ("plies", "error")  # one number of the position


class Heads(nn.Module):
    """1x1 convolutions of the trunk, and linear layers of the pooled trunk."""

    def __init__(self, channels, counts):
        super().__init__()
        self.points = nn.Conv2d(channels, sum(POINT.values()), 1)
        self.whole = nn.Linear(2 * channels + counts, len(WHOLE))

    def forward(self, x, planes, counts, legal=LEGAL):
        """Returns the logits by name. `counts` are normalised."""
        parts = torch.split(self.points(x).flatten(2), list(POINT.values()), 1)
        found = dict(zip(POINT, parts))
        for name in ("survival", "soft_policy", "reply"):
            found[name] = found[name][:, 0]
        found["soft_policy"] = legal_only(found["soft_policy"], planes, legal)
        found.update(zip(WHOLE, self.whole(torch.cat([pool(x), counts], 1)).unbind(1)))
        return found
