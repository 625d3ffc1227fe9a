"""The commands that scripts/hard/faults.py disturbs, and how their files are checked.

A command is a line of words, in which {d} is the folder that the faults strike and {home} one that stays.
"""

import csv
import gzip
import io
import json
import re
import subprocess
import xml.dom.minidom
from dataclasses import dataclass, field
from typing import Callable


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


@dataclass
class Command:
    name: str
    line: str
    # The files of an undisturbed run, and how each is compared with another run's.
    results: dict = field(default_factory=dict)
    # How standard output is compared, if the result is there.
    prints: Callable | None = None
    before: tuple = ()
    input: str = ""
    # A protocol has no work to keep, so signals end it at once.
    is_protocol: bool = False
    # Whether `--quick` runs it.
    quick: bool = False

    def says_in_answers(self, out):
        """Whether a protocol reported the failure, which does not end it."""
        return self.name == "gtp" and b"? cannot" in out


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
        {"match/games.jsonl": games, "match/report.json": score},
        quick=True,
    ),
    Command(
        "selfplay",
        "selfplay --size 5 --iterations 60 --plies 2 --set leaf=linear --seed 7 --games 150 --out {d}/games.gz",
        {"games.gz": content},
        quick=True,
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
    ),
    Command(
        "tune",
        f"tune {SMALL} --iterations 30 --param cpuct --steps 40 --pairs 1 --folder {{d}}/tune --seed 2 --concurrency 1",
        {"tune/history.csv": content},
    ),
    Command(
        "scan",
        f"tune {SMALL} --iterations 30 --scan cpuct=0.1,0.2,0.3 --pairs 10 --folder {{d}}/scan --seed 2 "
        "--concurrency 1",
        {"scan/games.jsonl": games, "scan/report.json": score},
    ),
    Command(
        "solve",
        f"solve {SMALL} --threads 1 --memory 64 --unordered --checkpoint {{d}}/checkpoint --checkpoint-every 0.05 "
        "--certificate {d}/certificate",
        {"certificate": winner},
        prints=lambda out: out.split(b":")[0],
        quick=True,
    ),
    Command(
        "prove",
        f"prove {{d}}/proof {SMALL} --nodes 1000 --iterations 10 --threads 1 --memory 16 "
        "--certificate {d}/certificate",
        {"certificate": winner},
    ),
    Command(
        "endings",
        f"endings {SMALL} --points 9 --iterations 20 --count 200 --out {{d}}/endings",
        {"endings": positions},
        quick=True,
    ),
    Command(
        "openings",
        "openings --size 5 --plies 6 --low 0 --high 1 --count 900 --engine iterations=20 --out {d}/openings",
        {"openings": content},
    ),
    Command(
        "analyze",
        f"analyze --size 9 --moves {MOVES} --threads 1 --iterations 2000 --seed 1 --html {{d}}/page.html",
        {"page.html": lambda path: len(path.read_bytes()) > 50000},
        prints=table,
    ),
    Command(
        "gtp",
        "gtp --size 9 --threads 1 --iterations 100 --seed 1 --log {d}/log.txt",
        {"game.sgf": tail},
        prints=lambda out: out.count(b"\n\n"),
        input=GTP,
        is_protocol=True,
        quick=True,
    ),
    Command(
        "analysis",
        "analysis --threads 1 --analysis-threads 1 --seed 1",
        prints=answers,
        input=QUERIES,
        is_protocol=True,
    ),
    Command("perft", "perft --size 9 --depth 5", prints=lambda out: [line.split()[:2] for line in out.splitlines()]),
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
    Command("man", "man --out-dir {d}/man", {"man/tanada.1": content, "man/tanada-web.1": content}),
)  # fmt: skip


def is_temporary(path):
    """Whether a name says that the file is not finished."""
    return path.name.endswith((".tanada-part", ".tanada-selfplay", ".new"))


def lines(text, journal=False):
    """The lines of a text that must end with one; the last line of a journal may have been cut."""
    kept = text.split("\n")
    if kept.pop() and not journal:
        raise ValueError("the last line is cut")
    return kept


def complete(path, command, program):
    """Fails if a file is not complete."""
    name, text = path.name, None
    if name.endswith(".gz"):
        text = gzip.decompress(path.read_bytes()).decode()
        for line in lines(text)[1:]:
            json.loads(line)
    elif name in ("samples",):
        data = path.read_bytes()
        header = data.split(b"\n", 1)[0]
        if not header.startswith(b"tanada samples side 5 ") or len(data) < 1000:
            raise ValueError(f"header {header[:80]!r}")
    elif name.endswith(".jsonl"):
        for line in lines(path.read_text(), journal=True):
            json.loads(line)
    elif name.endswith(".json") or name == "state":
        json.loads(path.read_text())
    elif name.endswith(".csv"):
        rows = list(csv.reader(io.StringIO(path.read_text())))
        if any(len(row) != len(rows[0]) for row in rows):
            raise ValueError("a row is cut")
    elif name.endswith(".svg"):
        xml.dom.minidom.parseString(path.read_bytes())
    elif name.endswith(".html"):
        if not path.read_text().rstrip().endswith("</html>"):
            raise ValueError("there is no `</html>` at its end")
    elif name.endswith(".sgf"):
        text = path.read_text().rstrip()
        if not (text.startswith("(;") and text.endswith(")")):
            raise ValueError("the record is cut")
    elif name == "certificate":
        subprocess.run([str(program), "verify", str(path)], check=True, capture_output=True)
    elif path.parent.name == "parts":
        # `tanada verify` reads them with the certificate that names them.
        if not path.read_bytes().startswith(b"tanada certificate "):
            raise ValueError("another beginning")
    elif name == "checkpoint":
        if not path.read_bytes().startswith(b"tanada solver results "):
            raise ValueError("another beginning")
    elif name in ("endings", "openings"):
        kept = lines(path.read_text())
        count = int(re.match(r"# (\d+)", kept[0])[1])
        if len([line for line in kept if not line.startswith("#")]) != count:
            raise ValueError("another number of lines than its header says")
    elif name == "weights":
        if any(len(line.split()) != 10 for line in lines(path.read_text())[1:]):
            raise ValueError("a line is cut")
    elif name in ("results.log", "log.txt"):
        lines(path.read_text(), journal=True)
    elif name.endswith(".1"):
        if not path.read_text().startswith((".ie", ".TH")):
            raise ValueError("not a manual page")
    elif name == "report.txt":
        lines(path.read_text())
    else:
        raise ValueError(f"`{command.name}` is not expected to write it")
