"""Tries a plan before a run is bound to it: a game of one iteration a move on each of its boards, with its openings."""

import shlex
from pathlib import Path

import tasks
from errors import Refused

from tanada.cluster import own_folder, run_program


def play(plan, program, network, nice):
    """Refuses a program, a network or a board that no game can be played with. A network of None is the linear
    evaluation."""
    with own_folder("tanada-trial-") as folder:
        copy, weights = Path(folder, "program"), Path(folder, "network.txt")
        copy.write_bytes(program)
        copy.chmod(0o755)
        if network is not None:
            weights.write_bytes(network)
        player = tasks.player(None if network is None else weights)
        for name, board in plan["boards"].items():
            games = Path(folder, f"{name}.gz")
            command = [copy, "selfplay", "--size", board["size"], *tasks.start(folder, board["setup"]), *player]
            command += ["--plies", board["plies"], "--drawn", board["drawn"]]
            command += ["--games", 1, "--iterations", 1, "--out", games]
            ended = run_program(folder, command, nice)
            if ended.status != 0 or not games.exists():
                said = ended.sentence(shlex.join(map(str, command[1:])))
                raise Refused(f"the program cannot play on the board `{name}`: {said.removeprefix('tanada: ')}")
