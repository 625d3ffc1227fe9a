"""What a search has found so far."""

from dataclasses import dataclass

from .errors import TanadaError

#: Colours by their letters.
COLOURS = {"B": "black", "W": "white", "R": "red", "G": "green"}
#: What the engine says about an exact result, and what it means for the side to move.
PROOFS = {"won": "win", "lost": "loss", "drawn": "draw"}


@dataclass(frozen=True, slots=True)
class MoveInfo:
    """A move that was searched."""

    move: str
    visits: int
    #: The winning chance that the move leaves to the side that plays it, 0 to 1.
    value: float
    #: A lower bound of it, see ``lcb`` in the protocol.
    lcb: float
    #: The probability that the move is best, before the search; ``None`` without the network.
    prior: float | None
    #: In place of it without the network: the winning chance before the search.
    initial_value: float | None
    #: ``"win"``, ``"loss"`` or ``"draw"`` for the side to move, if that is certain.
    proof: str | None
    #: The move that was searched in place of this one, its image under a symmetry of the position.
    symmetry_of: str | None
    #: The move and the best play after it.
    pv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """A position as a search sees it."""

    #: The best moves first.
    moves: tuple[MoveInfo, ...]
    visits: int
    #: The mean winning chance of the side to move over all visits, 0 to 1.
    value: float


def parse_search(line: str) -> Search:
    """Reads a line of ``kata-analyze`` with ``rootInfo true``."""
    blocks, _, root = line.partition(" rootInfo ")
    moves = [_parse_move(block) for block in blocks.split("info ") if block]
    try:
        words = root.split()
        of_root = dict(zip(words[::2], words[1::2], strict=True))
        return Search(tuple(moves), int(of_root["visits"]), float(of_root["winrate"]))
    except (KeyError, ValueError):
        raise TanadaError(f"`{line[:80]}` is not a line of an analysis") from None


def _parse_move(block: str) -> MoveInfo:
    head, _, pv = block.partition(" pv ")
    words = head.split()
    try:
        found = dict(zip(words[::2], words[1::2], strict=True))
        prior, initial = found.get("prior"), found.get("initialValue")
        return MoveInfo(
            move=found["move"],
            visits=int(found["visits"]),
            value=float(found["winrate"]),
            lcb=float(found["lcb"]),
            prior=None if prior is None else float(prior),
            initial_value=None if initial is None else float(initial),
            proof=PROOFS[found["proof"]] if "proof" in found else None,
            symmetry_of=found.get("isSymmetryOf"),
            pv=tuple(pv.split()),
        )
    except (KeyError, ValueError):
        raise TanadaError(f"`{block[:80]}` is not a move of an analysis") from None
