#!/usr/bin/env python3
"""Prints the outputs of two random networks for random positions as JSON. tests/network.rs compares them with Tanada's.

Usage: python3 scripts/network/fixture.py >tests/data/network/judged.json

Needs the packages of scripts/learn/requirements.txt. `planes` has a word for each point, from the lowest row up, with
a bit for each input plane; `moves` has the policy logits in the same order. The second network has the shape of that
for three and four players.
"""

import json
import sys
from pathlib import Path

if __name__ == "__main__" and len(sys.argv) > 1:
    # Checked before the imports, which may fail.
    if not {"-h", "--help"}.isdisjoint(sys.argv):
        print(__doc__)
        sys.exit()
    print(f"fixture.py: unexpected argument `{sys.argv[1]}`; this script takes no arguments", file=sys.stderr)
    sys.exit(2)

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "learn"))
import four
from network import LEGAL, PLANES, Network
from plan import CHANNELS

NUMBERS, BLOCKS, SEED = 5, 2, 3


def judged(planes_count, legal, values):
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    mean, spread = torch.rand(NUMBERS) * 4, torch.rand(NUMBERS) + 0.5
    network = Network(CHANNELS, BLOCKS, NUMBERS, mean, spread, planes_count, legal, values)
    for layer in network.pooled:
        nn.init.normal_(layer.weight, std=0.1)
        nn.init.normal_(layer.bias, std=0.1)
    for bias in network.biases:
        nn.init.normal_(bias, std=0.1)
    # Larger weights make the outputs differ by more than rounding.
    for layer in (network.policy, network.value3):
        layer.weight.data *= 8
    text = network.text()
    network.rounded = True
    network.eval()
    # The text has fewer digits than the random weights, so use the weights of the text.
    network.read(text)
    cases = []
    for side in (5, 7, 9):
        planes = rng.random((planes_count, side, side)) < 0.3
        planes[legal] = True
        numbers = rng.random(NUMBERS, np.float32) * 8
        with torch.no_grad():
            given = torch.from_numpy(planes.astype(np.float32))[None]
            counts = network.normal(torch.from_numpy(numbers)[None])
            x = network.trunk(given, counts)
            found, moves = network.values(x, counts), network.moves(x, given)
        words = (planes << np.arange(planes_count)[:, None, None]).sum(0)
        cases.append(
            {
                "side": side,
                "planes": words.flatten().tolist(),
                "numbers": [round(float(x), 6) for x in numbers],
                "values": [round(float(x), 5) for x in found[0]],
                "moves": [round(float(x), 5) for x in moves[0]],
            }
        )
    return {"network": text, "cases": cases}


def main():
    networks = [judged(PLANES, LEGAL, 1), judged(four.PLANES, four.LEGAL, four.SEATS)]
    print(json.dumps(networks, separators=(",", ":")))


if __name__ == "__main__":
    main()
