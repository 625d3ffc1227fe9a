#!/usr/bin/env python3
"""Plays one match of `tanada match` on many machines with Dask. Each pair of games is a task.

    python3 -m venv target/venv && target/venv/bin/pip install -r scripts/cluster/requirements.txt
    target/venv/bin/python scripts/cluster/match.py --records DIR [--workers N] [MATCH FLAGS]
    target/venv/bin/python scripts/cluster/match.py --records DIR --scheduler tcp://HOST:8786 [MATCH FLAGS]

MATCH FLAGS are those of `tanada match`: --size, --engine, --pairs, --sprt, --config FILE and so on. Needs Python 3.11.
Without --scheduler, the workers are processes on this machine, one for each core unless --workers says otherwise. For a
cluster, start `dask scheduler` on one machine and `dask worker tcp://HOST:8786 --nthreads CORES` on each, with the same
Python packages; each thread plays one game at a time. This script brings the program to them (--tanada, else
TANADA_BIN, else target/release/tanada). Every machine needs the other programs and the weights that the match names, at
the same paths. Relative paths start in the worker's current folder.

DIR becomes the same folder as after a local `tanada match --records DIR`. Games may finish in any order. A test (--sprt)
counts the pairs in their order; once it has decided, running games are dropped. If a worker dies, another one plays its
unfinished pair. An engine that crashes or hangs loses its game, and without --recover this stops the match, as in a
local one. Other failures are tried again. After a stop, the same command with --resume continues without playing a game
twice; so does `tanada match --records DIR --resume`.

Exit status: 0 the match is finished, 1 it is not, 2 wrong arguments, 130 interrupted, 143 terminated.
"""

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

from arguments import Parser, Terminated, note, terminable

from tanada.cluster import ClusterError, Log, Tasks, connect, hold

BROKEN = ("crash", "stall", "disconnected")  # The ends of games whose engine no longer runs.
UNSCORED = ("void", "interrupted")  # The ends of games that do not count.
FOREIGN = ("--unit", "--report", "--prepare", "--watch", "--concurrency", "--oversubscribe", "--rating-interval")


def play_pair(context, unit, kept, settings, seats, flags, program):
    """Plays the missing games of one pair on a worker; `kept` holds those played before. Returns the lines of the new
    games, and the error of `tanada` if it stopped before the end of the pair."""
    with context.folder("tanada-pair-") as folder:
        Path(folder, "match.json").write_text(settings)
        journal = Path(folder, "games.jsonl")
        journal.write_text("".join(line + "\n" for line in kept))
        command = [program, "match", "--records", folder, "--unit", str(unit), *flags]
        ended = context.run(folder, command)
        # The last line is incomplete if the match was killed while it wrote it.
        lines = [line.rstrip("\n") for line in journal.read_text().splitlines(True) if line.endswith("\n")]
    if ended.status != 0:
        return lines[len(kept) :], ended.sentence("tanada match")
    if {json.loads(line)["game"] for line in lines} != set(games_of(unit, seats)):
        raise RuntimeError("the records are not of the games of this pair")
    return lines[len(kept) :], None


def games_of(unit, seats):
    """The numbers of the games of a pair; both are counted from 1."""
    return range((unit - 1) * seats + 1, unit * seats + 1)


def scored(lines):
    """The lines of the games that count, by number; the last one if a number occurs twice."""
    records = {}
    for line in lines:
        record = json.loads(line)
        records[record["game"]] = (line, record["end"]["kind"])
    return {game: line for game, (line, kind) in records.items() if kind not in UNSCORED}


class EngineFailed(Exception):
    """An engine failed and lost its game, which stops a match without --recover. Holds the error of `tanada`."""


class Match:
    """A match in its folder, controlled through `tanada match`."""

    def __init__(self, program, folder, flags):
        self.program, self.folder, self.flags = program, Path(folder), flags
        self.log = Log(self.folder / "games.jsonl", lock=self.folder / "lock")

    def tanada(self, *more, capture=True):
        """Runs `tanada match` on the folder and returns its output. If it fails, this script exits the same way."""
        command = [self.program, "match", "--records", str(self.folder), *self.flags, *more]
        done = subprocess.run(command, stdout=subprocess.PIPE if capture else None, check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)
        return done.stdout

    def prepare(self):
        """Writes the settings, and removes an incomplete line left by a killed runner."""
        self.tanada("--prepare")

    def report(self):
        """The report of the games played so far."""
        return json.loads(self.tanada("--report", "--json"))

    def games(self):
        """The lines of the games played so far, by number."""
        return scored(self.log.read())


def play(workers, match, report, own):
    """Plays the missing pairs until all are finished or a test has decided."""
    seats = report["seats"]
    units = report["planned_games"] // seats
    settings = json.loads((match.folder / "match.json").read_text())
    is_test = settings["sprt"] is not None
    settings = json.dumps(settings)
    program = workers.bring(match.program)
    games = match.games()
    done = {unit for unit in range(1, units + 1) if all(game in games for game in games_of(unit, seats))}
    flags = ["--recover"] if own.recover else []

    def arguments(unit):
        kept = [games[game] for game in games_of(unit, seats) if game in games]
        return unit, kept, settings, seats, flags, program

    def tell(unit, failure):
        note(f"Pair {unit} failed and is played again: {failure}")

    def keep(lines):
        match.log.append(lines)
        games.update(scored(lines))

    check_at = 0.0
    missing = [unit for unit in range(1, units + 1) if unit not in done]
    # Few pairs run at a time: they then finish roughly in order, and a test can decide early.
    with Tasks(workers, play_pair, missing, arguments=arguments, name="pair {}".format, tell=tell) as tasks:
        for unit, (lines, failure) in tasks:
            keep(lines)
            if failure is None:
                done.add(unit)
                note(f"Finished pair {unit} ({len(done)} of {units})")
            lost = (
                failure is not None
                and not own.recover
                and any(json.loads(line)["end"]["kind"] in BROKEN for line in lines)
            )
            if is_test and (lost or time.monotonic() >= check_at):
                begin = time.monotonic()
                if match.report()["sprt"]["decision"]:
                    return
                check_at = time.monotonic() + 10 * (time.monotonic() - begin)
            if lost:
                # Keeps the pairs that other workers finished in the meantime.
                for _, (lines, _) in tasks.finished():
                    keep(lines)
                raise EngineFailed(failure)
            if failure is not None:
                tasks.failed(unit, failure)


def main():
    parser = Parser(description=__doc__, usage="%(prog)s --records DIR [options] [flags of `tanada match`]")
    parser.add_argument("--records", metavar="DIR", required=True, help="folder of the match")
    parser.add_argument("--resume", action="store_true", help="continue the match in DIR")
    parser.add_cluster()
    parser.add_argument("--pairs", metavar="N", help="pairs of games for each pairing")
    parser.add_argument("--config", metavar="FILE", help="TOML file with the match")
    parser.add_argument("--recover", action="store_true", help="restart engines that crash or hang")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of the report")
    own, flags = parser.parse_known_args()
    for flag in flags:
        if flag.split("=")[0] in FOREIGN:
            parser.error(f"unexpected argument `{flag}`: each pair is a task here")
    program = parser.check_cluster(own)
    import tomllib  # needs Python 3.11; `--help` works with older versions
    for flag, text in (("--pairs", own.pairs), ("--config", own.config)):
        if text is not None:
            flags += [flag, text]
    if own.recover:
        flags += ["--recover"]
    match = Match(program, own.records, flags)
    if (match.folder / "match.json").exists() and not own.resume:
        parser.error(f"`{own.records}` has a match already; `--resume` continues it")

    match.prepare()
    report = match.report()
    if own.config is not None and not own.recover:
        # The only setting of the file that each pair needs and that is not in DIR.
        own.recover = tomllib.loads(Path(own.config).read_text(encoding="utf-8")).get("recover", False)
    status = 0
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(hold(match.folder / "cluster.lock"))
        except ClusterError as error:
            parser.error(str(error))
        try:
            with terminable(), connect(own.scheduler, own.workers) as workers:
                play(workers, match, report, own)
        except EngineFailed as failed:
            note(str(failed))
            status = 1
        except (ClusterError, OSError) as error:
            note(f"{parser.prog}: {error}; `--resume` continues")
            status = 1
        except KeyboardInterrupt as stop:
            note(f"{parser.prog}: interrupted; `--resume` continues")
            status = 143 if isinstance(stop, Terminated) else 130
        if status == 0:
            # All games are finished: this sorts the journal, writes the SGF of each game, and prints the report.
            more = ["--json"] if own.json else []
            match.tanada("--resume", "--rating-interval", "0", *more, capture=False)
    return status


if __name__ == "__main__":
    sys.exit(main())
