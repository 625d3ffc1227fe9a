#!/usr/bin/env python3
"""Plays one match of `tanada match` on many machines, by Dask: one task a pair of games.

    python3 -m venv target/venv && target/venv/bin/pip install -r scripts/cluster/requirements.txt
    target/venv/bin/python scripts/cluster/match.py --records DIR [--workers N] [MATCH FLAGS]
    target/venv/bin/python scripts/cluster/match.py --records DIR --scheduler tcp://HOST:8786 [MATCH FLAGS]

MATCH FLAGS are those of `tanada match`: --size, --engine, --pairs, --sprt, --config FILE and so on.
Needs Python 3.11. Without --scheduler the workers are processes of this machine, one a core or
--workers of them. For a cluster, start `dask scheduler` on one machine and `dask worker
tcp://HOST:8786 --nthreads CORES` on each, with the same requirements; each thread plays one game at
a time. The program (--tanada, else TANADA_BIN, else target/release/tanada) must be the same file at
the same path everywhere, and so must be programs and weights that the match names; relative paths
start where the worker runs.

DIR becomes the same folder that a local `tanada match --records DIR` leaves. Games arrive in any
order. Once a test (--sprt) has decided by the pairs in their order, what still runs is dropped. A
worker that dies costs its unfinished pair, which another one plays. An engine that crashes or hangs
loses its game, and without --recover the match stops, as a local one does; only what went wrong
without a game being lost that way is tried again. Stopped at any moment, the same command with
--resume goes on, and plays no game again; so does `tanada match --records DIR --resume`.

Exit status: 0 the match is over, 1 it is not, 2 wrong arguments, 130 interrupted.
"""

import argparse
import fcntl
import hashlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRIES = 5  # How often one pair may fail, by its program or by its workers, before the match stops.
BROKEN = ("crash", "stall", "disconnected")  # Ends after which an engine is gone.
UNSCORED = ("void", "interrupted")  # Ends that count nowhere.
FOREIGN = ("--unit", "--report", "--prepare", "--watch", "--concurrency", "--force", "--rating-interval")

# Runs between a worker and its match: when the worker is gone, however it went, its end of the pipe
# is closed; then the match and its engines go too, and so does the folder.
GUARD = """
import os, shutil, signal, subprocess, sys, threading
folder, *command = sys.argv[1:]
match = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
gone = threading.Event()
def follow():
    while os.read(0, 1):
        pass
    gone.set()
    try:
        # Engines are in groups of their own, which the match ends when it is interrupted.
        match.send_signal(signal.SIGINT)
        match.wait(10)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(match.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
threading.Thread(target=follow, daemon=True).start()
code = match.wait()
if gone.is_set():
    shutil.rmtree(folder, ignore_errors=True)
sys.exit(min(abs(code), 255))
"""


def play_pair(unit, kept, settings, seats, flags, program, digest, token):
    """Plays what is missing of one pair, on a worker. Returns the lines of the new games, and what
    `tanada` said if it stopped before the end of the pair; `kept` holds the games played before."""
    from distributed import get_worker

    try:
        content = Path(program).read_bytes()
    except OSError as error:
        raise RuntimeError(f"`{program}`: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise RuntimeError(f"`{program}` is another build than where the match was started")
    guards = get_worker().__dict__.setdefault("tanada_guards", {})
    folder = tempfile.mkdtemp(prefix="tanada-pair-")
    try:
        Path(folder, "match.json").write_text(settings)
        journal = Path(folder, "games.jsonl")
        journal.write_text("".join(line + "\n" for line in kept))
        command = [program, "match", "--records", folder, "--unit", str(unit), *flags]
        with subprocess.Popen(
            [sys.executable, "-c", GUARD, folder, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as guard:
            guards[guard] = token
            said = guard.stderr.read().decode(errors="replace").splitlines()
            code = guard.wait()
            guards.pop(guard, None)
        # A last line without its end was being written when the match was killed.
        lines = [line.rstrip("\n") for line in journal.read_text().splitlines(True) if line.endswith("\n")]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if code != 0:
        return lines[len(kept) :], said[-1] if said else f"the match ended with status {code}"
    if {json.loads(line)["game"] for line in lines} != set(games_of(unit, seats)):
        raise RuntimeError("the records are not those of its games")
    return lines[len(kept) :], None


def drop_pairs(token, dask_worker):
    """Ends what still runs of a match, on a worker."""
    for guard, owner in list(getattr(dask_worker, "tanada_guards", {}).items()):
        if owner == token:
            guard.stdin.close()


def games_of(unit, seats):
    """The numbers of a pair's games; both are counted from 1."""
    return range((unit - 1) * seats + 1, unit * seats + 1)


def scored(lines):
    """The lines of the games that count, by their numbers; of a number that comes twice, the last."""
    records = {}
    for line in lines:
        record = json.loads(line)
        records[record["game"]] = (line, record["end"]["kind"])
    return {game: line for game, (line, kind) in records.items() if kind not in UNSCORED}


class Stop(Exception):
    """The match cannot go on; what was played is kept."""


class EngineFailed(Stop):
    """An engine lost a game by its failure, and the match was to stop then; what `tanada` said."""


class Match:
    """The folder of the match, through `tanada match`."""

    def __init__(self, program, folder, flags):
        self.program, self.folder, self.flags = program, Path(folder), flags

    def tanada(self, *more, capture=True):
        """Runs `tanada match` on the folder; what it printed. Its refusals are the script's."""
        command = [self.program, "match", "--records", str(self.folder), *self.flags, *more]
        done = subprocess.run(command, stdout=subprocess.PIPE if capture else None, check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)
        return done.stdout

    def prepare(self):
        """Settles the settings, and cuts off what a killed runner left of a line."""
        self.tanada("--prepare")

    def report(self):
        """The report of what is there."""
        return json.loads(self.tanada("--report", "--json"))

    def games(self):
        """The lines of the games that are there, by their numbers."""
        return scored((self.folder / "games.jsonl").read_text().splitlines())

    def keep(self, lines):
        """Adds games to the journal; nobody else works in the folder meanwhile."""
        with open(self.folder / "lock", "w") as lock:
            for second in range(30):
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(1)
            else:
                raise Stop(f"`{self.folder}` is in use by another runner")
            with open(self.folder / "games.jsonl", "ab", buffering=0) as journal:
                journal.write("".join(line + "\n" for line in lines).encode())
                os.fsync(journal.fileno())


def note(text):
    print(text, file=sys.stderr, flush=True)


def play(client, match, report, own):
    """Plays what is missing, until all is there or a test has decided."""
    from distributed import as_completed

    seats = report["seats"]
    units = report["planned_games"] // seats
    settings = json.loads((match.folder / "match.json").read_text())
    is_test = settings["sprt"] is not None
    settings = json.dumps(settings)
    digest = hashlib.sha256(Path(match.program).read_bytes()).hexdigest()
    token = uuid.uuid4().hex
    games = match.games()
    done = {unit for unit in range(1, units + 1) if all(game in games for game in games_of(unit, seats))}
    waiting = [unit for unit in reversed(range(1, units + 1)) if unit not in done]
    flags = ["--recover"] if own.recover else []
    running, tries = {}, {}
    arrivals = as_completed()

    def keep(lines):
        match.keep(lines)
        games.update(scored(lines))

    def submit(unit):
        kept = [games[game] for game in games_of(unit, seats) if game in games]
        future = client.submit(
            play_pair, unit, kept, settings, seats, flags, match.program, digest, token,
            key=f"tanada-{token}-{unit}-{tries.get(unit, 0)}", pure=False, retries=0,
        )
        running[future.key] = (unit, future)
        arrivals.add(future)

    def fill():
        # Few more than there are threads: pairs in their order, so that a test can decide early.
        most = 2 * max(1, sum(client.nthreads().values()))
        while waiting and len(running) < most:
            submit(waiting.pop())

    check_at = 0.0
    fill()
    try:
        for future in arrivals:
            unit, _ = running.pop(future.key)
            failure = None
            if future.status == "finished":
                lines, failure = future.result()
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
                    raise EngineFailed(failure)
            elif future.status == "cancelled":
                raise Stop("the scheduler is gone")
            else:
                error = future.exception()
                failure = "its workers died" if type(error).__name__ == "KilledWorker" else str(error)
            if failure is not None:
                tries[unit] = tries.get(unit, 0) + 1
                if tries[unit] >= TRIES:
                    raise Stop(f"pair {unit} failed {TRIES} times: {failure}")
                note(f"Pair {unit} failed and is played again: {failure}")
                submit(unit)
            fill()
    except EngineFailed:
        # What other workers finished meanwhile was played too.
        finished = [future for _, future in running.values() if future.status == "finished"]
        for lines, _ in client.gather(finished, errors="skip"):
            keep(lines)
        raise
    finally:
        if own.scheduler is not None:
            # The cluster goes on without this match; workers of this machine alone end with it.
            client.cancel([future for _, future in running.values()], force=True)
            client.run(drop_pairs, token, on_error="ignore")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)


def main():
    parser = Parser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        usage="%(prog)s --records DIR [options] [flags of `tanada match`]",
    )
    parser.add_argument("--records", metavar="DIR", required=True, help="the folder of the match")
    parser.add_argument("--resume", action="store_true", help="go on with the match in DIR")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler; else this machine alone")
    parser.add_argument("--workers", metavar="N", type=int, help="processes on this machine [one a core]")
    parser.add_argument("--tanada", metavar="PATH", help="the program [TANADA_BIN or target/release/tanada]")
    parser.add_argument("--pairs", metavar="N", help="pairs of games for each pairing")
    parser.add_argument("--config", metavar="FILE", help="a TOML file with the match")
    parser.add_argument("--recover", action="store_true", help="start engines again that crash or hang")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of the report")
    own, flags = parser.parse_known_args()
    for flag in flags:
        if flag.split("=")[0] in FOREIGN:
            parser.error(f"`{flag}` has no meaning here, where each pair is a task")
    if own.scheduler and own.workers is not None:
        parser.error("`--workers` and `--scheduler` contradict each other, expected one of them")
    if own.workers is not None and own.workers < 1:
        parser.error(f"invalid value `{own.workers}` for `--workers`: expected 1 or more")
    import tomllib  # Python 3.11; `--help` needs no more than what is above
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        parser.error("the package `distributed` is missing; pip install -r scripts/cluster/requirements.txt")
    named = own.tanada or os.environ.get("TANADA_BIN") or str(ROOT / "target/release/tanada")
    program = shutil.which(named)
    if program is None:
        parser.error(f"`{named}` is no program; cargo build --release, or `--tanada PATH`")
    for flag, text in (("--pairs", own.pairs), ("--config", own.config)):
        if text is not None:
            flags += [flag, text]
    if own.recover:
        flags += ["--recover"]
    match = Match(os.path.abspath(program), own.records, flags)
    if (match.folder / "match.json").exists() and not own.resume:
        parser.error(f"`{own.records}` holds a match already; `--resume` goes on with it")

    match.prepare()
    report = match.report()
    if own.config is not None and not own.recover:
        # Beside the settings in DIR, the one thing in the file that is a matter of each pair.
        own.recover = tomllib.loads(Path(own.config).read_text(encoding="utf-8")).get("recover", False)
    dask.config.set({"distributed.scheduler.allowed-failures": TRIES})
    status = 0
    cluster = None
    with open(match.folder / "cluster.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            parser.error(f"`{own.records}` is in use by another runner")
        try:
            if own.scheduler is None:
                # An interrupt from the terminal is for this process; it ends the workers in order.
                handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
                cluster = LocalCluster(
                    n_workers=own.workers or os.cpu_count(), threads_per_worker=1, processes=True,
                    dashboard_address=None, silence_logs=logging.CRITICAL,
                )
                signal.signal(signal.SIGINT, handler)
            with Client(cluster or own.scheduler) as client:
                client.wait_for_workers(1)
                play(client, match, report, own)
        except EngineFailed as failed:
            note(str(failed))
            status = 1
        except Stop as stop:
            note(f"{parser.prog}: {stop}; `--resume` goes on")
            status = 1
        except OSError as error:
            note(f"{parser.prog}: {error}; `--resume` goes on")
            status = 1
        except KeyboardInterrupt:
            note(f"{parser.prog}: interrupted; `--resume` goes on")
            status = 130
        finally:
            if cluster is not None:
                cluster.close()
        if status == 0:
            # Everything is there: this sorts the journal, writes the SGF of each game, and reports.
            more = ["--json"] if own.json else []
            match.tanada("--resume", "--rating-interval", "0", *more, capture=False)
    (match.folder / "cluster.lock").unlink(missing_ok=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
