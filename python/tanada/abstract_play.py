"""Records of Abstract Play, a server where people play Tanbo by correspondence."""

import json
from typing import Any

from .errors import TanadaError
from .position import COLUMNS, Position

#: The boards of the server, with the variants that name them.
BOARDS = {7: [], 11: ["size-11"], 15: ["size-15"], 19: ["size-19", "#board"]}
#: The letters of its columns; unlike those of GTP they do not leave out the i.
LETTERS = "abcdefghijklmnopqrs"


def to_abstract_play(position: Position, names: tuple[str, str] = ("Black", "White")) -> str:
    """The game of a position as the server publishes games: JSON with moves in rounds. `Position.from_record` reads it.

    Raises `TanadaError` for a game that the server cannot have: one with another start, or of more than two.

    >>> game = Position(size=11, setup="dense").play("J2")
    >>> Position.from_record(to_abstract_play(game)) == game
    True
    """
    variants = BOARDS.get(position.size)
    is_known = position.game == "tanbo" and variants is not None
    if not is_known or position.start != Position(size=position.size, setup="dense"):
        raise TanadaError(f"the server has no game with this start: expected dense on {', '.join(map(str, BOARDS))}")
    if any(move == "leave" for _, move in position.moves):
        raise TanadaError("a record of the server cannot say that a player left")
    moves = [LETTERS[COLUMNS.index(move[0])] + move[1:] for _, move in position.moves]
    players: list[dict[str, Any]] = [{"name": name} for name in names]
    if position.outcome is not None:
        for player, color in zip(players, position.players, strict=True):
            player["result"] = int(color == position.outcome)
    game = {"name": "Tanbo", "variants": variants}
    rounds = [moves[begin : begin + 2] for begin in range(0, len(moves), 2)]
    return json.dumps({"header": {"game": game, "players": players}, "moves": rounds})
