"""What scripts/hard/faults.py demands of the files of a command: each is complete, and work that was finished stays.

`complete` checks one file. A `Keeps` says which pieces of work are finished in a file, so they can be looked for again
after the command has continued. Where a repetition of the work gives the same bytes, `mark` alters a finished piece in
a way that the program accepts: if it threw the work away and did it again, the mark would be gone.
"""

import csv
import gzip
import io
import json
import re
import subprocess
import xml.dom.minidom
import zlib
from dataclasses import dataclass
from typing import Callable

WORD = (1 << 64) - 1
CHECKPOINT = b"tanada solver results 2\n"
MARKED_NODES = 10**12


@dataclass
class Keeps:
    """Finished work in a file or a folder."""

    path: str
    # The finished pieces, as a list of which a longer one must be the continuation, or as a dictionary.
    pieces: Callable
    # Where they are after the work is finished, if elsewhere, and how they are read there.
    end: str | None = None
    end_pieces: Callable | None = None
    # Alters a finished piece in the file; only called if there is one.
    mark: Callable | None = None

    def before(self, folder):
        path = folder / self.path
        return self.pieces(path) if path.exists() else {}

    def after(self, folder):
        path = folder / (self.end or self.path)
        return (self.end_pieces or self.pieces)(path) if path.exists() else {}


def lost(before, after):
    """The first finished piece that is not there any more, or None."""
    if isinstance(before, dict):
        return next((name for name, piece in before.items() if not after or after.get(name) != piece), None)
    for number, piece in enumerate(before):
        if number >= len(after) or after[number] != piece:
            return f"piece {number + 1}, {str(piece)[:100]!r}"
    return None


# Pieces.


def whole_lines(path):
    """The lines of a journal, as bytes, without one that was cut."""
    return path.read_bytes().split(b"\n")[:-1]


def rows(path):
    """The rows of a table, without its header."""
    return whole_lines(path)[1:]


def unzipped_games(path):
    """The games of a file of self-play; its header is line 1."""
    return gzip.decompress(path.read_bytes()).split(b"\n")[1:-1]


def finished_records(path):
    """The records of the games that the journal of a match names. Their moves have times, so no two runs agree."""
    numbers = [json.loads(line)["game"] for line in whole_lines(path.parent / "games.jsonl")]
    records = [path / f"{number:06}.sgf" for number in numbers]
    return {record.name: record.read_bytes() for record in records if record.exists()}


def rounds(path):
    """The generations of a training."""
    return json.loads(path.read_text())["rounds"]


def files(path):
    """Whole files, and when they were written."""
    found = [file for file in path.iterdir() if not is_temporary(file)]
    return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in found}


def results(path):
    """The results in a checkpoint of the solver, and how many marks its nodes have."""
    nodes, entries = checkpoint(path.read_bytes())
    return {**dict.fromkeys(entries, True), "nodes": nodes // MARKED_NODES}


# Marks.


def mark_line(number, change):
    """Changes a line of a text; the first is 0."""

    def mark(path):
        lines = path.read_bytes().split(b"\n")
        changed = change(lines[number])
        if changed == lines[number]:
            raise ValueError(f"no place for a mark in {lines[number][:100]!r}")
        lines[number] = changed
        path.write_bytes(b"\n".join(lines))

    return mark


mark_game = mark_line(1, lambda line: re.sub(rb'"values":\[[^]]*\]', b'"values":[0.125,0.875]', line, count=1))
mark_row = mark_line(1, lambda line: line.rsplit(b",", 1)[0] + b",0.28125")


def one_more_node(line):
    text, nodes, _ = line.rsplit(b" ", 2)
    text += b" %d" % (int(nodes) + 1)
    return text + b" %08x" % zlib.crc32(text)


mark_entry = mark_line(1, one_more_node)


def mark_round(path):
    state = json.loads(path.read_text())
    state["rounds"][0]["samples"] += 1000
    path.write_text(json.dumps(state, separators=(",", ":")))


def mark_checkpoint(path):
    data = path.read_bytes()
    nodes, entries = checkpoint(data)
    words = [int.from_bytes(data[at : at + 8], "little") for at in (24, 32)] + [nodes + MARKED_NODES]
    body = data[:40] + words[2].to_bytes(8, "little") + data[48:-12]
    path.write_bytes(body + data[-12:-8] + checksum(words, entries).to_bytes(8, "little"))


# Checkpoints of the solver, as src/solver/checkpoint.rs describes them.


def key(pair):
    """The 128-bit key of two words, as src/solver/key.rs computes it."""

    def folded(a, b):
        return (a * b >> 64) ^ (a * b & WORD)

    a, b = pair
    low = folded(a ^ 0xA0761D6478BD642F ^ 0x9E3779B97F4A7C15, b ^ 0xE7037ED1A0B428DB)
    high = folded(b ^ 0x8EBC6AF09C88C6E3 ^ 0xD6E8FEB86659FD93, a ^ 0x589965CC75374CC3)
    return low ^ (high << 32 & WORD | high >> 32), high


def checksum(words, entries):
    a, b = words[:2]
    for word in [*words, *(part for entry in entries for part in entry)]:
        a, b = key((a ^ word, b))
    return a ^ b


def checkpoint(data):
    """The nodes and the results of a checkpoint; fails if it is not complete."""
    if not data.startswith(CHECKPOINT) or len(data) < 60 or len(data) % 12:
        raise ValueError("not a whole checkpoint")
    words = [int.from_bytes(data[at : at + 8], "little") for at in (24, 32, 40)]
    pairs = [data[at : at + 12] for at in range(48, len(data), 12)]
    *entries, (end, sum_) = [(int.from_bytes(p[:4], "little"), int.from_bytes(p[4:], "little")) for p in pairs]
    if end != 0xFFFFFFFF or sum_ != checksum(words, entries):
        raise ValueError("another checksum")
    return words[2], entries


# Complete files.


def is_temporary(path):
    """Whether a name says that the file is not finished."""
    return path.name.endswith((".tanada-part", ".tanada-selfplay", ".new"))


def must_not_be_left(path):
    """Whether a command that handles signals must not leave this file; a journal of self-play with games may stay."""
    if path.name.endswith(".tanada-selfplay"):
        return not rows(path)
    return is_temporary(path)


def lines(text, journal=False):
    """The lines of a text that must end with one; the last line of a journal may have been cut."""
    kept = text.split("\n")
    if kept.pop() and not journal:
        raise ValueError("the last line is cut")
    return kept


def expect(condition, problem):
    if not condition:
        raise ValueError(problem)


def json_lines(path):
    for line in lines(path.read_text(), journal=True):
        json.loads(line)


def table(path):
    found = list(csv.reader(io.StringIO("\n".join(lines(path.read_text(), journal=True)))))
    expect(all(len(row) == len(found[0]) for row in found), "a row is cut")


def page(path):
    expect(path.read_text().endswith("</html>\n"), "there is no `</html>` at its end")


def drawing(path):
    xml.dom.minidom.parseString(path.read_bytes())
    expect(path.read_bytes().endswith(b"</svg>\n"), "there is no `</svg>` at its end")


def record(path):
    text = path.read_text()
    expect(text.startswith("(;") and text.endswith(")\n"), "the record is cut")


def log_of_proof(path):
    for line in whole_lines(path):
        text, sum_ = line.rsplit(b" ", 1)
        expect(b"%08x" % zlib.crc32(text) == sum_, f"another checksum in {line!r}")


def report(path):
    kept = lines(path.read_text())
    expect(len(kept) > 2 and kept[0] == kept[-1] == "-" * 50, "it does not end with a line of dashes")


BY_NAME = {
    ".jsonl": json_lines,
    ".tanada-selfplay": json_lines,
    ".json": lambda path: json.loads(path.read_text()),
    "state": lambda path: json.loads(path.read_text()),
    ".csv": table,
    ".svg": drawing,
    ".html": page,
    ".sgf": record,
    "checkpoint": lambda path: checkpoint(path.read_bytes()),
    "results.log": log_of_proof,
    "log.txt": lambda path: lines(path.read_text(), journal=True),
    "report.txt": report,
}


def complete(path, bench):
    """Fails if a file is not complete. `bench` knows the files of an undisturbed run."""
    name = path.name
    undisturbed = bench.home.joinpath("whole", *path.relative_to(bench.home).parts[1:])
    if name in ("endings", "openings"):
        part_of_list(path, undisturbed)
    elif name in ("games.gz", "samples") or name.endswith(".1"):
        # Written once, at the end, and the same in each run.
        expect(path.read_bytes() == undisturbed.read_bytes(), "it differs from that of an undisturbed run")
    elif name == "weights":
        # Those of an earlier generation are other numbers in the same places.
        found, known = (
            [(*line.split()[:2], len(line.split())) for line in lines(file.read_text())] for file in (path, undisturbed)
        )
        expect(found == known, "a line is cut")
    elif name == "certificate" or path.parent.name == "parts":
        done = subprocess.run([str(bench.program), "verify", str(path)], check=False, capture_output=True)
        expect(done.returncode == 0, done.stderr.decode(errors="replace").strip())
    else:
        check = next((check for end, check in BY_NAME.items() if name.endswith(end)), None)
        expect(check, f"`{bench.command.name}` is not expected to write it")
        check(path)


def part_of_list(path, undisturbed):
    """Checks a list that may end early: it has as many lines as it says, the first of an undisturbed run."""

    def entries(path):
        kept = lines(path.read_text())
        # Endings have the nodes of a search at their end, which depend on time.
        return kept[0], [line.rsplit(" ", 1)[0] for line in kept if not line.startswith("#")]

    head, found = entries(path)
    expect(len(found) == int(re.match(r"# (\d+)", head)[1]), "another number of lines than its header says")
    expect(found == entries(undisturbed)[1][: len(found)], "other entries than an undisturbed run has")
