"""Training samples of self-play, as ``tanada samples`` writes them. Needs NumPy."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from .errors import TanadaError

#: The words of the first line, each followed by a number.
WORDS = ("side", "points", "planes", "globals", "moves", "seats", "bytes")


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The samples of one file. Nothing is read before it is used.

    Each record of ``records`` is a position from the view of the side to move. Points are in row order, from the lower
    left.

    ========  ===========================================================================================
    counts    features of the whole position
    planes    for each point, a bit for each plane of the network's input
    visits    for each move, the policy target; 255 for the most visited one, 0 where unknown. In Tanbo
              there is a move for each point, in Taratibu for each kind of piece and square
    fate      for each point: bits 0 and 1, who moves there first from now on (0 nobody, 1 the side to
              move, 2 another player); bits 2 and 3, who holds it at the end; bit 4, whether the stone
              that lies there stays
    reply     the point of the next player's move, from 1; 0 if unknown
    value     the winning chance that the search found, 65535 for 1
    short     the short-term value, likewise
    others    with more than two players, value and short-term value of each seat after the first, in
              the order of play among those in play; 0 for the rest
    result    1 won by the side to move, 0 lost, 2 unknown
    flags     bit 0, there is a policy target; bit 1, the value is exact; bit 2, the position was played
    plies     plies left in the game, at most 255
    winner    the winner's place in that order, 0 for the side to move or if unknown
    game      the number of the game, from 0
    ========  ===========================================================================================
    """

    path: str
    #: Points of a row.
    size: int
    #: The number of planes.
    planes: int
    records: "numpy.ndarray[Any, numpy.dtype[Any]]"

    def __len__(self) -> int:
        return len(self.records)

    def plane_array(
        self, records: "numpy.ndarray[Any, numpy.dtype[Any]]"
    ) -> "numpy.ndarray[Any, numpy.dtype[numpy.uint8]]":
        """The planes of some records as 0 and 1: sample, plane, row from the bottom, column from the left."""
        bits = numpy.asarray(records["planes"])
        planes = numpy.arange(self.planes, dtype=numpy.uint32)
        found = (bits[:, None, :] >> planes[None, :, None]) & 1
        return found.astype(numpy.uint8).reshape(len(bits), self.planes, self.size, self.size)

    def batches(self, size: int, seed: int | None = None) -> "Iterator[numpy.ndarray[Any, numpy.dtype[Any]]]":
        """All records in random order, in batches of ``size``; the last one may be smaller."""
        if size < 1:
            raise ValueError(f"invalid size `{size}` of a batch: expected 1 or more")
        order = numpy.random.default_rng(seed).permutation(len(self.records))
        for begin in range(0, len(order), size):
            yield self.records[numpy.sort(order[begin : begin + size])]


def read_samples(path: "str | os.PathLike[str]") -> Samples:
    """Opens a file of ``tanada samples``.

    Raises `TanadaError` if it is none, or ends in the middle of a sample.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            line = file.readline(200)
    except OSError as error:
        raise TanadaError(f"cannot read `{name}`: {error.strerror}") from None
    words = line.decode("ascii", "replace").split()
    numbers = words[3::2]
    is_head = words[:2] == ["tanada", "samples"] and tuple(words[2::2]) == WORDS and len(numbers) == len(WORDS)
    if not is_head or not all(number.isdecimal() and len(number) < 6 for number in numbers):
        raise TanadaError(f"`{name}` is not a file of `tanada samples`")
    head = dict(zip(WORDS, map(int, numbers), strict=True))
    kind = record_type(head["points"], head["globals"], head["moves"], head["seats"])
    length = os.path.getsize(name) - len(line)
    if head["bytes"] != kind.itemsize or head["seats"] < 2 or head["points"] != head["side"] ** 2:
        raise TanadaError(f"`{name}` has samples of another form: expected {kind.itemsize} bytes for each")
    if length % kind.itemsize:
        raise TanadaError(f"`{name}` ends in the middle of a sample")
    if length == 0:
        records = numpy.zeros(0, kind)
    else:
        records = numpy.memmap(name, kind, "r", len(line), length // kind.itemsize)
    return Samples(name, head["side"], head["planes"], records)


def record_type(points: int, counts: int, moves: int, seats: int) -> "numpy.dtype[Any]":
    """The form of a record with so many points, global features, moves and seats."""
    others = [("others", "<u2", (seats - 1, 2))] if seats > 2 else []
    return numpy.dtype(
        [
            ("counts", "<f4", (counts,)), ("planes", "<u4", (points,)), ("visits", "u1", (moves,)),
            ("fate", "u1", (points,)), ("reply", "<u2"), ("value", "<u2"), ("short", "<u2"), *others,
            ("result", "u1"), ("flags", "u1"), ("plies", "u1"), ("winner", "u1"), ("game", "<u4"),
        ]
    )
