"""What workers do: play a batch of games, or a part of a gate's match. These functions travel to other machines."""

import gzip
import hashlib
import json
import subprocess
import time
from pathlib import Path

from workers import check_program, own_folder, run_on_worker


def place_weights(folder, name, text):
    """Writes the weights of an engine; returns their path."""
    path = Path(folder, name)
    path.write_text(text)
    return str(path)


def failed(program, code, said):
    return RuntimeError(said[-1] if said else f"`{program}` ended with status {code}")


def play_batch(job, weights):
    """Plays a batch of games. Returns the file's bytes and its record."""
    check_program(job["program"], job["digest"])
    begin = time.monotonic()
    with own_folder("tanada-games-") as folder:
        out = Path(folder, "games.gz")
        command = [job["program"], "selfplay", *job["flags"], "--concurrency", 1, "--out", out]
        if weights is None:
            command += ["--set", "leaf=linear"]
        else:
            command += ["--weights", place_weights(folder, "weights", weights)]
        code, said, cpu = run_on_worker(folder, command, job["token"], job["nice"])
        if code != 0:
            raise failed(job["program"], code, said)
        content = out.read_bytes()
    games = positions = full = 0
    for line in gzip.decompress(content).splitlines()[1:]:
        moves = json.loads(line)["moves"]
        games += 1
        positions += len(moves)
        full += sum(move["full"] for move in moves)
    if games != job["games"]:
        raise RuntimeError(f"`{job['program']}` played {games} games instead of {job['games']}")
    record = {
        "games": games, "positions": positions, "full": full, "sha256": hashlib.sha256(content).hexdigest(),
        "cpu": round(cpu, 2), "wall": round(time.monotonic() - begin, 2),
    }
    return content, record


def play_pairs(job, weights, opponent):
    """Plays pairs of a match between two networks; None is the linear evaluation. Returns the record."""
    check_program(job["program"], job["digest"])
    begin = time.monotonic()
    with own_folder("tanada-pairs-") as folder:
        engines = []
        for name, text in (("new", weights), ("old", opponent)):
            play = "preset=linear" if text is None else f"weights={place_weights(folder, name, text)}"
            engines += ["--engine", f"name={name},{play}"]
        flags = list(job["flags"])
        if job["openings"] is not None:
            path = Path(folder, "openings.txt")
            path.write_text("".join(line + "\n" for line in job["openings"]))
            flags += ["--openings", str(path)]
        command = [job["program"], "match", *flags, *engines, "--json", "--rating-interval", 0]
        with open(Path(folder, "report.json"), "wb") as report:
            code, said, cpu = run_on_worker(folder, command, job["token"], job["nice"], stdout=report)
        if code != 0:
            raise failed(job["program"], code, said)
        meeting = json.loads(Path(folder, "report.json").read_text())["meetings"][0]
    counts = meeting["pentanomial"]
    if sum(counts) != job["pairs"]:
        raise RuntimeError(f"`{job['program']}` played {sum(counts)} pairs instead of {job['pairs']}")
    return {"pentanomial": counts, "cpu": round(cpu, 2), "wall": round(time.monotonic() - begin, 2)}


def convert(program, nice, source, out):
    """Computes the samples of a games file on this machine."""
    from workers import guard

    with own_folder("tanada-samples-") as folder:
        command = [program, "samples", source, "--out", out, "--force"]
        with guard(folder, command, nice, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            said = process.stderr.read().decode(errors="replace").splitlines()
            code = process.wait()
        used = Path(folder, "cpu")
        cpu = float(used.read_text()) if used.exists() else 0.0
    if code != 0:
        raise failed(program, code, said)
    return cpu
