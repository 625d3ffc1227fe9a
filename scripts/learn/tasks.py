"""What workers do: play a batch of games, or a part of a gate's match. These functions travel to other machines."""

import gzip
import hashlib
import json
import time
from pathlib import Path


def play_batch(context, job, program, weights):
    """Plays a batch of games; weights None are the linear evaluation. Returns the file's bytes and its record."""
    begin = time.monotonic()
    with context.folder("tanada-games-") as folder:
        out = Path(folder, "games.gz")
        command = [program, "selfplay", *job["flags"], *start(folder, job["setup"]), "--concurrency", 1, "--out", out]
        command += player(weights)
        ended = context.run(folder, command, job["nice"])
        if ended.status != 0:
            raise RuntimeError(ended.sentence("tanada selfplay"))
        content = out.read_bytes()
    games = positions = full = 0
    for line in gzip.decompress(content).splitlines()[1:]:
        moves = json.loads(line)["moves"]
        games += 1
        positions += len(moves)
        full += sum(move["full"] for move in moves)
    if games != job["games"]:
        raise RuntimeError(f"`tanada selfplay` played {games} games instead of {job['games']}")
    record = {
        "games": games, "positions": positions, "full": full, "sha256": hashlib.sha256(content).hexdigest(),
        "cpu": round(ended.cpu, 2), "wall": round(time.monotonic() - begin, 2),
    }
    return content, record


def player(weights):
    """The option for a network; None is the linear evaluation."""
    return ["--set", "leaf=linear"] if weights is None else ["--weights", weights]


def start(folder, setup):
    """The option for a setup; the program takes a position from a file."""
    if " " not in setup:
        return ["--setup", setup]
    path = Path(folder, "setup.txt")
    path.write_text(setup + "\n")
    return ["--setup", str(path)]


def play_pairs(context, job, program, weights, opponent):
    """Plays pairs of a match between two networks; None is the linear evaluation. Returns the record."""
    begin = time.monotonic()
    with context.folder("tanada-pairs-") as folder:
        engines = []
        for name, file in (("new", weights), ("old", opponent)):
            play = "preset=linear" if file is None else f"weights={context.path(file)}"
            engines += ["--engine", f"name={name},{play}"]
        flags = [*job["flags"], *start(folder, job["setup"])]
        if job["openings"] is not None:
            path = Path(folder, "openings.txt")
            path.write_text("".join(line + "\n" for line in job["openings"]))
            flags += ["--openings", str(path)]
        command = [program, "match", *flags, *engines, "--json", "--rating-interval", 0]
        with open(Path(folder, "report.json"), "wb") as report:
            ended = context.run(folder, command, job["nice"], stdout=report)
        if ended.status != 0:
            raise RuntimeError(ended.sentence("tanada match"))
        meeting = json.loads(Path(folder, "report.json").read_text())["meetings"][0]
    counts = meeting["pentanomial"]
    if sum(counts) != job["pairs"]:
        raise RuntimeError(f"`tanada match` played {sum(counts)} pairs instead of {job['pairs']}")
    return {"pentanomial": counts, "cpu": round(ended.cpu, 2), "wall": round(time.monotonic() - begin, 2)}
