"""Reads the files of `tanada samples` and draws batches from them."""

import os
from dataclasses import dataclass

import numpy as np
import torch

from network import PLANES

WORDS = ("side", "points", "planes", "globals", "moves", "seats", "bytes")
UNKNOWN = 2  # a result that is not known
HAS_POLICY, PROVED, PLAYED = 1, 2, 4  # bits of the flags
HELD_OUT = 16  # one of so many games is for validation


@dataclass
class Batch:
    """Inputs and targets of some positions."""

    planes: torch.Tensor
    counts: torch.Tensor
    visits: torch.Tensor  # the policy target, which sums to 1 where there is one
    has_policy: torch.Tensor
    first: torch.Tensor  # who moves at each point first: 0 nobody, 1 the side to move, 2 the other
    holder: torch.Tensor  # who holds it at the end
    survives: torch.Tensor
    occupied: torch.Tensor
    reply: torch.Tensor  # the point of the opponent's reply, -1 if unknown
    value: torch.Tensor  # of the search
    short: torch.Tensor  # short-term value
    won: torch.Tensor
    has_result: torch.Tensor
    proved: torch.Tensor  # the search's value is that of a proof
    played: torch.Tensor
    plies: torch.Tensor


def layout(points, counts, moves, seats=2):
    """The record of a position. `others` are the value and the short-term value of each seat after the first."""
    others = [("others", "<u2", (seats - 1, 2))] if seats > 2 else []
    return np.dtype(
        [
            ("counts", "<f4", (counts,)), ("planes", "<u4", (points,)), ("visits", "u1", (moves,)),
            ("fate", "u1", (points,)), ("reply", "<u2"), ("value", "<u2"), ("short", "<u2"), *others,
            ("result", "u1"), ("flags", "u1"), ("plies", "u1"), ("winner", "u1"), ("game", "<u4"),
        ]
    )


def records(path, planes=PLANES, least=2, most=2):
    """The records of a file of games of `least` to `most` players, read on demand."""
    with open(path, "rb") as file:
        line = file.readline(200)
    words = line.decode("ascii", "replace").split()
    names = tuple(words[2::2])
    if words[:2] != ["tanada", "samples"] or names != WORDS or not all(word.isdigit() for word in words[3::2]):
        raise SystemExit(f"`{path}` is not a file of `tanada samples`")
    head = dict(zip(names, map(int, words[3::2])))
    for name, least, largest in (("planes", planes, planes), ("seats", least, most)):
        if not least <= head[name] <= largest:
            expected = least if least == largest else f"{least} to {largest}"
            raise SystemExit(f"`{path}` is of another network: it has {head[name]} {name}, expected {expected}")
    kind = layout(head["points"], head["globals"], head["moves"], head["seats"])
    if head["bytes"] != kind.itemsize:
        raise SystemExit(f"`{path}` has records of {head['bytes']} bytes: expected {kind.itemsize}")
    size = os.path.getsize(path) - len(line)
    if size % kind.itemsize:
        raise SystemExit(f"`{path}` ends in the middle of a sample")
    if size == 0:
        return head, np.zeros(0, kind)
    return head, np.memmap(path, kind, "r", len(line), size // kind.itemsize)


class Board:
    """The samples of one board, from many files. `shape` is planes, least and most seats, as `records` takes them."""

    def __init__(self, name, files, newest, quick_weight, shape=(PLANES, 2, 2)):
        self.name, self.files, self.side, self.counts = name, [], None, None
        chances, tests, start = [], [], 0
        for file in files:
            head, found = records(file["path"], *shape)
            if self.side is None:
                self.side, self.counts = head["side"], head["globals"]
            if (self.side, self.counts) != (head["side"], head["globals"]):
                raise SystemExit(f"`{file['path']}` is of another board than the files before")
            # The numbers in the file begin at 0. A game stays held out as long as it is in the window.
            held_out = (file["first"] + found["game"]) % HELD_OUT == 0
            played = (found["flags"] & PLAYED) != 0
            quick = played & ((found["flags"] & HAS_POLICY) == 0)
            chances.append(np.where(held_out, 0, np.where(quick, quick_weight, 1)))
            if file["round"] == newest:
                tests.append(start + np.flatnonzero(held_out & played))
            self.files.append(found)
            start += len(found)
        self.starts = np.cumsum([0] + [len(found) for found in self.files])
        self.sums = np.cumsum(np.concatenate(chances))
        self.weight = float(self.sums[-1]) if len(self.sums) else 0.0
        self.tests = np.concatenate(tests) if tests else np.zeros(0, np.int64)

    def draw(self, count, rng):
        """The numbers of samples drawn at random for training."""
        return np.searchsorted(self.sums, rng.random(count) * self.weight, side="right")

    def take(self, numbers):
        """The records of some samples."""
        numbers = np.sort(numbers)
        which = np.searchsorted(self.starts, numbers, side="right") - 1
        return np.concatenate([self.files[i][numbers[which == i] - self.starts[i]] for i in np.unique(which)])

    def batch(self, numbers, device, rng=None):
        """A batch of samples. With a random generator it gets a random symmetry."""
        return batch_of(self.take(numbers), self.side, None if rng is None else int(rng.integers(8)), device)


def normalisation(boards, count, rng):
    """Mean and spread of each global feature, from `count` samples of each board."""
    some = torch.from_numpy(np.concatenate([board.take(board.draw(count, rng))["counts"] for board in boards]))
    return some.mean(0), some.std(0).clamp_min(0.1)


def draw_board(boards, rng):
    """A board, drawn in proportion to the weight of its samples."""
    chances = np.array([board.weight for board in boards])
    return boards[rng.choice(len(boards), p=chances / chances.sum())]


def order_of(side, turn):
    """The point that each point's contents come from, in one of the eight symmetries."""
    order = np.arange(side * side).reshape(side, side)
    if turn & 1:
        order = order[::-1]
    if turn & 2:
        order = order[:, ::-1]
    return (order.T if turn & 4 else order).flatten()


def batch_of(found, side, turn, device, planes_count=PLANES, stones=2):
    """The tensors of some records, with planes 1 to `stones` those of stones. The bytes of the records go to
    the device and are unpacked there."""

    def bring(name, kind):
        return torch.from_numpy(found[name].astype(kind)).to(device)

    planes, visits, fate = bring("planes", np.int32), bring("visits", np.uint8), bring("fate", np.uint8)
    reply = bring("reply", np.int64) - 1
    if turn:
        order = torch.from_numpy(order_of(side, turn)).to(device)
        planes, visits, fate = planes[:, order], visits[:, order], fate[:, order]
        reply = torch.where(reply >= 0, torch.argsort(order)[reply.clamp_min(0)], -1)
    shifts = torch.arange(planes_count, dtype=torch.int32, device=device)
    bits = (planes[:, None, :] >> shifts[None, :, None]) & 1
    visits = visits.float()
    flags, result = bring("flags", np.uint8), bring("result", np.uint8)
    return Batch(
        planes=bits.float().reshape(-1, planes_count, side, side).to(memory_format=torch.channels_last),
        counts=bring("counts", np.float32),
        visits=visits / visits.sum(1, keepdim=True).clamp_min(1),
        has_policy=(flags & HAS_POLICY) != 0,
        first=(fate & 3).long(),
        holder=(fate >> 2 & 3).long(),
        survives=(fate >> 4 & 1).float(),
        occupied=(planes & (2 << stones) - 2) != 0,
        reply=reply,
        value=bring("value", np.float32) / 65535,
        short=bring("short", np.float32) / 65535,
        won=(result == 1).float(),
        has_result=result != UNKNOWN,
        proved=(flags & PROVED) != 0,
        played=(flags & PLAYED) != 0,
        plies=bring("plies", np.float32),
    )
