"""The commands that scripts/hard/faults.py disturbs, and what they leave if nothing disturbs them.

A command is a line of words, in which {d} is the folder that the faults strike and {home} one that stays.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Callable

from fault_checks import (
    Keeps, files, finished_records, mark_checkpoint, mark_entry, mark_game, mark_round, mark_row, results, rounds, rows,
    unzipped_games, whole_lines,
)  # fmt: skip

FAULTS = ("kill", "term", "int", "full", "readonly", "vanish", "pipe", "devfull", "memory", "clock")
QUICK = ("kill", "term", "full", "readonly", "pipe", "devfull")
# What can go wrong for a command that writes nothing but standard output, and what if it takes a moment only.
PRINTING = ("term", "int", "pipe", "devfull", "memory", "clock")
AT_ONCE = ("pipe", "devfull", "memory")


def content(path):
    return path.read_bytes()


def games(path):
    """The games of a match, without times."""
    kept = []
    for line in path.read_text().splitlines():
        game = json.loads(line)
        moves = [move["vertex"] for move in game["moves"]]
        kept.append((game["game"], game["start"], moves, game["result"], game["end"]["kind"]))
    return sorted(kept)


def names(path):
    return sorted(file.name for file in path.iterdir())


def score(path):
    """What a report of a match says, without times."""
    return [(engine["name"], engine["points"], engine["moves"]) for engine in json.loads(path.read_text())["engines"]]


def positions(path):
    """The positions of a file of endings."""
    return [line.rsplit(" ", 1)[0] for line in path.read_text().splitlines()]


def winner(path):
    """Who wins, by the header of a certificate."""
    return [line for line in path.read_bytes().splitlines()[:12] if line.startswith(b"winner")]


def tail(path):
    """The moves of a record in SGF."""
    return re.findall(rb";[BW]\[[^]]*\]", path.read_bytes())


def answers(out):
    """The queries that were answered, with the visits of each."""
    return sorted((answer["id"], answer["rootInfo"]["visits"]) for answer in map(json.loads, out.splitlines()))


def table(out):
    """The parts of a printed answer that do not depend on time."""
    return [line for line in out.decode().splitlines() if not re.search(r"\bsecond|\d s\b|nodes", line)]


def words(out):
    """What was printed, without numbers and without the paths of the run."""
    return re.sub(r"/\S+|[\d.,]+", "", out.decode())


@dataclass
class Command:
    name: str
    line: str
    # The files of an undisturbed run, and how each is compared with another run's.
    results: dict = field(default_factory=dict)
    # How standard output is compared, if the result is there.
    prints: Callable | None = None
    # Finished work that the command must find again when it continues.
    keeps: tuple = ()
    before: tuple = ()
    input: str = ""
    # Whether it ends by itself after a signal, with a sentence. Others have no work to keep: signals end them at once.
    handles_signals: bool = True
    # Whether it serves until a signal ends it.
    serves: bool = False
    faults: tuple = FAULTS
    # The faults of `--quick`.
    quick: tuple = ()
    # Fails if the run said that it had done what is not in the folder; gets the result of an undisturbed run, too.
    promises: Callable | None = None

    def says_in_answers(self, out):
        """Whether a protocol reported the failure, which does not end it."""
        return self.name == "gtp" and b"? cannot" in out


def told(pattern, path, pieces):
    """Checks that a journal has as many pieces as the run said to have finished."""

    def check(done, folder, _):
        said = max(map(int, re.findall(pattern, done.err)), default=0)
        kept = pieces(folder / path) if (folder / path).exists() else []
        if len(kept) < said:
            raise ValueError(f"{said} were said to be finished, but {path} has {len(kept)}")

    return check


def counted(done, folder, _):
    """Checks that a list of endings or openings counts as many as an interrupted run said to be in it."""
    said = re.search(r"(\d+) of \d+ (endings|openings) are in", done.err)
    if said and (folder / said[2]).read_text().split(maxsplit=2)[1] != said[1]:
        raise ValueError(f"{said[1]} were said to be in {said[2]}")


def saved_moves(done, folder, whole):
    """Checks that the record has the moves of the last `printsgf` that was answered; each follows a `genmove`."""
    answered = done.out.count(b"\n\n") // 2
    path = folder / "game.sgf"
    found = tail(path) if path.exists() else []
    if found != whole["game.sgf"][: len(found)] or len(found) < min(answered, len(whole["game.sgf"])):
        raise ValueError(f"{answered} records were confirmed, but game.sgf has the moves {found}")


def given_answers(done, _, whole):
    """Checks that each answer that was given is one of an undisturbed run."""
    given = answers(done.out[: done.out.rfind(b"\n") + 1])
    if not set(given) <= set(whole["standard output"]):
        raise ValueError(f"other answers: {given}")


MOVES = "'C2 B7 D2 C7 E2 D7 C3 B6 C4 E7 F2 F7'"
SMALL = "--size 5 --setup corners"
GTP = "".join(f"genmove {'bw'[ply % 2]}\nprintsgf {{d}}/game.sgf\n" for ply in range(40)) + "quit\n"
QUERIES = "".join(
    json.dumps({"id": str(number), "boardXSize": 9, "boardYSize": 9, "moves": [], "maxVisits": 200}) + "\n"
    for number in range(60)
)

COMMANDS = (
    Command(
        "match",
        f"match {SMALL} --pairs 40 --iterations 40 --engine name=a,threads=1 --engine name=b,preset=linear,threads=1 "
        "--seed 3 --concurrency 1 --records {d}/match",
        {"match/games.jsonl": games, "match/report.json": score, "match/games": names},
        promises=told(r"Finished game (\d+) of", "match/games.jsonl", whole_lines),
        keeps=(Keeps("match/games.jsonl", whole_lines), Keeps("match/games", finished_records)),
        quick=QUICK,
    ),
    Command(
        "selfplay",
        "selfplay --size 5 --iterations 60 --plies 2 --set leaf=linear --seed 7 --games 150 --out {d}/games.gz",
        {"games.gz": content},
        keeps=(Keeps("games.gz.tanada-selfplay", rows, "games.gz", unzipped_games, mark_game),),
        quick=QUICK,
    ),
    Command(
        "samples",
        "samples {home}/games.gz --out {d}/samples",
        {"samples": content},
        before=("selfplay --size 5 --iterations 8 --plies 2 --set leaf=linear --games 1500 --out {home}/games.gz",),
    ),
    Command(
        "train",
        "train --size 5 --games 20 --iterations 5 --plies 1 --generations 12 --checkpoint {d}/state --out {d}/weights",
        {"weights": content, "state": content},
        keeps=(Keeps("state", rounds, mark=mark_round),),
    ),
    Command(
        "tune",
        f"tune {SMALL} --iterations 30 --param cpuct --steps 40 --pairs 1 --folder {{d}}/tune --seed 2 --concurrency 1",
        {"tune/history.csv": content},
        promises=told(r"step (\d+) of", "tune/history.csv", rows),
        keeps=(Keeps("tune/history.csv", rows, mark=mark_row),),
    ),
    Command(
        "scan",
        f"tune {SMALL} --iterations 30 --scan cpuct=0.1,0.2,0.3 --pairs 10 --folder {{d}}/scan --seed 2 "
        "--concurrency 1",
        {"scan/games.jsonl": games, "scan/report.json": score, "scan/games": names},
        promises=told(r"game (\d+) of", "scan/games.jsonl", whole_lines),
        keeps=(Keeps("scan/games.jsonl", whole_lines), Keeps("scan/games", finished_records)),
    ),
    Command(
        "solve",
        f"solve {SMALL} --threads 1 --memory 64 --unordered --checkpoint {{d}}/checkpoint --checkpoint-every 0.05 "
        "--certificate {d}/certificate",
        {"certificate": winner},
        prints=lambda out: out.split(b":")[0],
        keeps=(Keeps("checkpoint", results, mark=mark_checkpoint),),
        quick=QUICK,
    ),
    Command(
        "prove",
        f"prove {{d}}/proof {SMALL} --nodes 1000 --iterations 10 --threads 1 --memory 16 "
        "--certificate {d}/certificate",
        {"certificate": winner},
        keeps=(Keeps("proof/results.log", rows, mark=mark_entry), Keeps("proof/parts", files)),
    ),
    Command(
        "endings",
        f"endings {SMALL} --points 9 --iterations 20 --count 200 --out {{d}}/endings",
        {"endings": positions},
        promises=counted,
        quick=QUICK,
    ),
    Command(
        "openings",
        "openings --size 5 --plies 6 --low 0 --high 1 --count 900 --engine iterations=20 --out {d}/openings",
        {"openings": content},
        promises=counted,
    ),
    Command(
        "analyze",
        f"analyze --size 9 --moves {MOVES} --threads 1 --iterations 2000 --seed 1 --html {{d}}/page.html",
        {"page.html": content},
        prints=table,
    ),
    Command(
        "gtp",
        "gtp --size 9 --threads 1 --iterations 100 --seed 1 --log {d}/log.txt",
        {"game.sgf": tail},
        prints=lambda out: out.count(b"\n\n"),
        promises=saved_moves,
        input=GTP,
        handles_signals=False,
        quick=QUICK,
    ),
    Command(
        "analysis",
        "analysis --threads 1 --analysis-threads 1 --seed 1",
        prints=answers,
        promises=given_answers,
        input=QUERIES,
        handles_signals=False,
    ),
    Command(
        "perft",
        f"perft {SMALL} --depth 10",
        prints=lambda out: out,
        faults=tuple(fault for fault in FAULTS if fault != "memory"),
    ),
    # Where the address space of a thread is too small for an arena of malloc's, counting takes many times as long.
    Command("perft-short", "perft --size 9 --depth 5", prints=lambda out: out, faults=("memory",), quick=("memory",)),
    Command(
        "accuracy",
        "accuracy --size 4 --games 150 --plies 2 --iterations 2 --memory 16",
        prints=lambda out: out.split(b",")[0],
    ),
    Command(
        "genmove",
        "genmove --size 9 --threads 1 --iterations 3000 --seed 1",
        prints=lambda out: re.sub(rb" in [0-9.]+ s", b"", out.split(b"\n")[0]),
    ),
    Command(
        "man",
        "man --out-dir {d}/man",
        {"man/tanada.1": content, "man/tanada-web.1": content},
        handles_signals=False,
    ),
    Command(
        "verify",
        "verify {home}/certificate",
        prints=table,
        before=(f"solve {SMALL} --threads 1 --memory 64 --certificate {{home}}/certificate",),
        handles_signals=False,
        faults=PRINTING,
    ),
    Command("bench", "bench --only playouts --size 9 --seconds 0.5", prints=words, faults=PRINTING),
    Command("demo", "demo --size 9 --threads 1 --iterations 400 --seed 1", prints=table, faults=PRINTING),
    Command("doctor", "doctor", prints=words, faults=PRINTING),
    Command("web", "web --no-open --listen 127.0.0.1:0", faults=PRINTING, serves=True),
    Command("config", "config", prints=words, faults=AT_ONCE),
    Command("params", "params", prints=lambda out: out, faults=AT_ONCE),
    Command("completions", "completions bash", prints=lambda out: out, faults=AT_ONCE),
)  # fmt: skip
