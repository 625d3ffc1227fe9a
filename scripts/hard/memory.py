#!/usr/bin/env python3
"""Measures the peak resident memory of long commands and oversized inputs, beside what `--memory` allows.

    scripts/hard/memory.py [--seconds 60] [--cases "search players"] [--gigabytes 1]

Prints a table: the most memory that was resident, the limit, and whether it held. The limit is the memory of all
trees and tables that the command may have at once, plus a constant of 96 MiB for each process, its network, its
threads and the input that it holds. Commands without a time limit are interrupted. A command has to run as long as it
was asked to and to print what it found.

Inputs of 1 GB are one line or one request that the program has to refuse before its end, while it grows by less than
8 MiB. An SGF record of 100 MB is over the limit of its size and refused, too, so its limit is the
constant alone.

  --seconds N   seconds of each long command [60]
  --cases LIST  only these [all]
  --gigabytes X size of the large inputs [1]

Needs Linux, Python 3.10 and no packages. TANADA_BIN names a program to use instead of building this tree. Exit status:
0 every limit held, 1 some did not or a command failed, 2 wrong arguments.
"""

import argparse
import contextlib
import http.client
import json
import os
import re
import resource
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from common import Parser, common, environment  # noqa: E402

# MiB of each process: the program itself, its network, the stacks of its threads, and what it holds of its input.
CONSTANT = 96
# MiB of a process that has not searched yet, at most.
IDLE = 12
# Seconds after which a command is killed, besides those that it was asked to run.
PATIENCE = 600
# Seconds that a command may run longer than it was asked to, on a busy machine.
LATE = 30
# MiB by which the program may grow while it drops a large input.
GROWTH = 8
# Seconds in which the program refuses large inputs and answers small ones.
PROMPT = 5
# The most seconds of a search with much memory, beside one that fills its limit.
CONTROL = 15
CHUNK = b"9" * (1 << 20)
# How a line of 1 MiB is refused.
TOO_LONG = r"9\.\.\.` is too long: expected at most 1048576 bytes"
TWO = "--concurrency 2"
GAME = "C2 B7 D2 C7 E2 D7 C3 B6 C4 E7 F2 F7"


class Failed(Exception):
    """What a case did wrong."""


@dataclass
class Case:
    name: str
    line: str
    # MiB of all trees and tables together.
    memory: int
    # A pattern of what the output must hold, and how often.
    says: str
    times: int = 1
    # Writes the standard input of the process, or talks to it. What it returns stands in the table.
    feed: Callable | None = None
    # Makes files in the folder before the run.
    before: Callable | None = None
    statuses: tuple = (0,)
    # Whether it has to run for the seconds asked for.
    is_long: bool = True
    # Whether SIGINT ends it after these seconds.
    interrupt: bool = False
    # Whether its trees have to reach their limit.
    fills: bool = False
    # The number of processes, children included.
    processes: int = 1

    @property
    def limit(self):
        return self.memory + CONSTANT * self.processes


class Running:
    """A process of a case, with what it has printed and how much memory it and its children used."""

    def __init__(self, program, words, options):
        self.options = options
        self.out = tempfile.TemporaryFile()
        self.begin = time.monotonic()
        self.process = subprocess.Popen(
            [str(program), *words], stdin=subprocess.PIPE, stdout=self.out, stderr=subprocess.STDOUT, env=environment()
        )
        # MiB, and the same half-way.
        self.most = self.half = 0.0
        self.children = 0

    def text(self):
        return os.pread(self.out.fileno(), 1 << 28, 0).decode(errors="replace")

    def end(self, number):
        """Sends a signal. The methods of `Popen` would wait for the process, too."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, number)

    def seconds(self):
        return time.monotonic() - self.begin

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def sample(self):
        children = descendants(self.process.pid)
        self.children = max(self.children, len(children))
        self.most = max(self.most, sum(map(peak, [self.process.pid, *children])))
        if self.seconds() < self.options.seconds / 2:
            self.half = self.most

    def wait_for(self, pattern, seconds, what):
        """Waits until the output holds a pattern, and returns what matches."""
        begin = time.monotonic()
        while not (found := re.search(pattern, self.text())):
            if time.monotonic() - begin > seconds or self.process.returncode is not None:
                raise Failed(f"{what} within {seconds} s")
            time.sleep(0.01)
        return found


def peak(pid):
    """The most resident memory of a process so far, in MiB."""
    try:
        return int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) / 1024
    except (OSError, TypeError):
        return 0.0


def descendants(pid):
    """The processes that this one started, and those that they started."""
    found = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, file.read_text().split())
        except OSError:
            pass  # The thread is gone.
    return found + [other for child in found for other in descendants(child)]


def no_growth(running, before):
    grown = peak(running.process.pid) - before
    if grown > GROWTH:
        raise Failed(f"it grew by {grown:.0f} MiB")
    return grown


def one_line(first, begin, end, last):
    """A small line, a line of 1 GB, and a small line after it."""

    def feed(running):
        running.write(first)
        running.wait_for(r"\n", PROMPT, "the first line was not answered")
        before = peak(running.process.pid)
        running.write(begin)
        for _ in range(gigabyte(running.options)):
            running.write(CHUNK)
        running.wait_for(TOO_LONG, PROMPT, "the long line was not refused before its end")
        running.write(end)
        grown = no_growth(running, before)
        running.write(last)
        running.process.stdin.close()
        return f"refused before its end; grew by {grown:.0f} MiB"

    return feed


def gigabyte(options):
    return int(options.gigabytes * 1000)


def queries(running):
    """10,000 queries at once."""
    for number in range(10_000):
        query = {"id": str(number), "boardXSize": 9, "boardYSize": 9, "moves": [], "maxVisits": 20}
        running.process.stdin.write(json.dumps(query).encode() + b"\n")
    running.process.stdin.close()


def record(program, folder):
    """An SGF record of 100 MB: one game with a comment."""
    with open(folder / "large.sgf", "wb") as file:
        file.write(b"(;GM[1]FF[4]SZ[9]C[")
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b"])")


def games(program, folder):
    """Games for `samples`, which reads them again and again."""
    line = "selfplay --size 9 --iterations 8 --plies 2 --set leaf=linear --games 300 --out"
    words = [str(program), *line.split(), str(folder / "games.gz")]
    subprocess.run(words, check=True, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def server(running):
    """Where the web server listens, and the headers that let a request in."""
    found = running.wait_for(r"http://([^:/]+):(\d+)/\?token=(\w+)", PROMPT, "it did not say where it listens")
    head = {"Authorization": f"Bearer {found[3]}", "Content-Type": "application/json"}
    return found[1], int(found[2]), head


def request(is_chunked):
    """A request of 1 GB to the web server, with or without its length."""

    def feed(running):
        host, port, head = server(running)
        before, sent = peak(running.process.pid), 0
        size = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {gigabyte(running.options) << 20}"
        lines = [f"POST /api/position HTTP/1.1\r\nHost: {host}:{port}", *map(": ".join, head.items()), size]
        part = b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK) if is_chunked else CHUNK
        with socket.create_connection((host, port), timeout=60) as connection:
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            try:
                # It may answer before the end.
                while sent < gigabyte(running.options) and not select.select([connection], [], [], 0)[0]:
                    connection.sendall(part)
                    sent += 1
            except OSError:
                pass  # It closed the connection early.
            connection.settimeout(PROMPT)
            try:
                answer = connection.recv(200).split(b"\r\n")[0].decode()
            except OSError as error:
                raise Failed(f"no answer after {sent} MiB: {error}") from error
        if sent == gigabyte(running.options):
            raise Failed("the whole request was sent before an answer")
        if "413" not in answer:
            raise Failed(f"the answer was `{answer}`")
        grown = no_growth(running, before)
        running.end(signal.SIGTERM)
        return f"refused with status 413 after {sent} of {gigabyte(running.options)} MiB; grew by {grown:.0f} MiB"

    return feed


def pages(running):
    """Four pages that analyse at once until the time is over. A page whose tree is full goes on with another board."""
    host, port, head = server(running)
    seen, full = {}, []

    def ask(page, number):
        line = {"game": "tanbo", "start": {"size": (9, 19)[number % 2]}, "moves": []}
        connection = http.client.HTTPConnection(host, port, timeout=PROMPT)
        connection.request("POST", "/api/analyze", json.dumps({"page": page, "id": number, "line": line}), head)
        if (status := connection.getresponse().status) != 200:
            raise Failed(f"an analysis was refused with status {status}")

    def listen(page, number, answer):
        try:
            for line in answer:
                if line.startswith(b"data:") and b'"iterations"' in line:
                    event = json.loads(line[len(b"data:") :])
                    seen[page] = time.monotonic()
                    if event["done"] and event["reason"] == "memory":
                        full.append(event["iterations"])
                        number += 1
                        ask(page, number)
        except (Failed, OSError, http.client.HTTPException):
            pass  # The server was ended, or the page has no later event.

    for number in range(4):
        page = f"{number:016x}"
        events = http.client.HTTPConnection(host, port, timeout=running.options.seconds + PATIENCE)
        events.request("GET", f"/api/events?page={page}", headers=head)
        threading.Thread(target=listen, args=(page, number, events.getresponse()), daemon=True).start()
        ask(page, number)
    time.sleep(running.options.seconds)
    late = time.monotonic() - PROMPT
    if len([page for page, moment in seen.items() if moment > late]) < 4:
        raise Failed("some of the 4 pages had no reports in the end")
    running.end(signal.SIGTERM)
    return f"trees that became full: {len(full)}"


def cases(seconds):
    engine = f"--time-per-move {seconds} --threads 2"
    table = f"--memory 256 --threads 2 --time {seconds}"
    searched = r"value 0\.\d+, \d{3,} iterations in [\d.]+ s"
    own = "command={p} gtp --threads 1 --memory 16"
    web = "web --no-open --listen 127.0.0.1:0 --threads 1"
    again = " ".join(["{d}/games.gz"] * 1000)
    move = f"--size 9 --time-per-move {max(0.1, seconds / 20)} --plies 4"
    query = '{"id":"%s","boardXSize":9,"boardYSize":9,"moves":[],"maxVisits":5}\n'
    stopped = {"statuses": (130,), "interrupt": True}
    small = {"is_long": False}
    return (
        Case("search", f"genmove --size 19 {engine} --memory 1024", 1024, searched),
        Case("players", f"genmove --size 19 --players 4 {engine} --memory 512", 512, r"\d{3,} iterations in"),
        Case("graph", f"genmove --size 9 {engine} --memory 16", 16, searched, fills=True),
        Case("taratibu", f"genmove --game taratibu {engine} --memory 64", 64, searched),
        Case("solve", f"solve --size 7 {table}", 256, r"Not decided: \d{5,} nodes in [\d.]+ s", statuses=(3,)),
        Case("prove", f"prove {{d}}/proof --size 6 --setup corners --nodes 100000 {table}", 256,
             r"(?s)nodes +\d{5,}\n.*ended before the winner was known", statuses=(3,)),
        Case("analyze", f"analyze --size 9 --moves '{GAME}' --time-per-move {seconds / 8} --threads 2 --memory 64 "
             "--html {d}/page.html", 64, r"(?s)chance %  visits.*interrupted: \d+ of 12 moves", **stopped),
        # Two games at once, each with a tree for each engine.
        Case("match", f"match {move} {TWO} --pairs 1000 --engine name=a,memory=64 --engine "
             "name=b,memory=64,graph_search=false", 4 * 64, r"tanada: interrupted", **stopped),
        # Many games, after each of which the trees are freed.
        Case("games", f"match --size 21 --iterations 300 {TWO} --pairs 1000 --engine name=a,memory=64 --engine "
             "name=b,memory=64", 4 * 64, r"tanada: interrupted", **stopped),
        # The match and two engines, each a process.
        Case("programs", f"match {move} --pairs 1000 --engine 'name=a,{own}' --engine 'name=b,{own} --preset linear'",
             2 * 16, r"tanada: interrupted", **stopped, processes=3),
        Case("tune", f"tune {move} {TWO} --param cpuct --engine memory=64 --folder {{d}}/tune", 4 * 64,
             r"interrupted; `--resume` continues", **stopped),
        # 64 MiB for each game, in `train` for each side.
        Case("selfplay", f"selfplay --size 9 {TWO} --games 1000 --iterations 20000 --out {{d}}/games.gz", 2 * 64,
             r"tanada: interrupted", **stopped),
        Case("train", f"train --size 9 {TWO} --games 1000 --iterations 20000 --out {{d}}/weights", 4 * 64,
             r"interrupted in the first generation", **stopped),
        Case("samples", f"samples {again} --out {{d}}/samples", 0, r"interrupted after \d{3,} games", before=games,
             **stopped),
        # 16 MiB for each of two games.
        Case("endings", f"endings --size 9 --points 20 --iterations 5000 --count 100000 {TWO} --out {{d}}/endings",
             2 * 16, r"interrupted", **stopped),
        Case("openings", f"openings --size 9 --engine iterations=100000,memory=64 --count 100000 {TWO} "
             "--out {d}/openings", 2 * 64, r"interrupted", **stopped),
        # A table and a tree for each of two games.
        Case("accuracy", f"accuracy --size 6 --games 10000 --time 0.2 {TWO} --memory 64 --set memory=64", 2 * 128,
             r"interrupted: \d+ of 10000 games", **stopped),
        Case("analysis", "analysis --analysis-threads 2 --memory 256", 256, '"isDuringSearch":false', times=10_000,
             feed=queries, **small),
        Case("sgf", "genmove {d}/large.sgf --iterations 10", 0, r"large\.sgf` cannot be read: it is longer than 1 MiB",
             before=record, statuses=(2,), **small),
        Case("gtp", "gtp --size 9 --memory 16", 16, f"^= Tanada\n\n\\? the line `play b 9+{TOO_LONG}\n\n= 2\n\n=",
             feed=one_line(b"name\n", b"play b ", b"\n", b"protocol_version\nquit\n"), **small),
        Case("json", "analysis --analysis-threads 1 --memory 16", 16,
             f'(?s)^{{"id":"before".*\n{{"error":"the line.*{TOO_LONG}"}}\n{{"id":"after","isDuringSearch"',
             feed=one_line((query % "before").encode(), b'{"id":"', b'"}\n', (query % "after").encode()), **small),
        Case("web", f"{web} --memory 16", 16, "token=", feed=request(False), statuses=(0, 143), **small),
        Case("chunked", f"{web} --memory 16", 16, "token=", feed=request(True), statuses=(0, 143), **small),
        Case("pages", f"{web} --memory 64 --engines 4", 64, "token=", feed=pages, statuses=(0, 143)),
    )  # fmt: skip


def measure(program, case, options):
    """Runs a case: its peak in MiB, its seconds, and what it did wrong or else what its feed found."""
    with tempfile.TemporaryDirectory(prefix="tanada-memory-") as folder:
        try:
            if case.before:
                case.before(program, Path(folder))
        except subprocess.CalledProcessError as error:
            return 0.0, 0.0, [f"status {error.returncode} of `{error.cmd[1]}`"], ""
        words = [word.replace("{d}", folder).replace("{p}", str(program)) for word in shlex.split(case.line)]
        running = Running(program, words, options)
        process, notes, faults = running.process, [], []

        def feed():
            try:
                if case.feed:
                    notes.append(case.feed(running))
                else:
                    process.stdin.close()
            except Failed as error:
                faults.append(str(error))
                running.end(signal.SIGKILL)
            except (OSError, ValueError, http.client.HTTPException) as error:
                faults.append(f"{type(error).__name__}: {error}")
                running.end(signal.SIGKILL)

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        waited, is_interrupted = 0, False
        # A command that ends between two samples is measured by the kernel alone.
        while not waited:
            running.sample()
            waited, status, usage = os.wait4(process.pid, os.WNOHANG)
            if not waited and running.seconds() > options.seconds + PATIENCE:
                running.end(signal.SIGKILL)
            elif not waited and case.interrupt and not is_interrupted and running.seconds() > options.seconds:
                running.end(signal.SIGINT)
                is_interrupted = True
            time.sleep(0.01)
        seconds = running.seconds()
        process.returncode = os.waitstatus_to_exitcode(status)
        feeder.join(PROMPT)
        # The kernel's figure begins with the memory of this script, so it is only an upper bound.
        if seconds < 1 and not case.feed:
            running.most = usage.ru_maxrss / 1024
        text = running.text()
        faults += wrong(case, running, seconds, text)
        if case.fills and not faults:
            line = re.sub(r"--time-per-move \S+", f"--time-per-move {min(options.seconds, CONTROL)}", case.line)
            line = re.sub(r"--memory \d+", "--memory 1024", line)
            larger = replace(case, line=line, memory=1024, fills=False, is_long=False)
            control, _, more_faults, _ = measure(program, larger, options)
            faults += more_faults
            note = f"{running.half:.0f} MiB half-way, {control:.0f} with `--memory 1024`"
            # It no longer grows, and would with more memory.
            if running.most - running.half > 1 or control < running.most + case.memory / 2:
                faults.append(f"it was not full: {note}")
            notes.append(f"full: {note}")
        return running.most, seconds, faults, "; ".join(filter(None, notes))


def wrong(case, running, seconds, text):
    """What is wrong with a run that ended."""
    status = running.process.returncode
    if status not in case.statuses:
        yield f"status {status}"
    if "panicked" in text:
        yield "it panicked"
    if sum(1 for _ in re.finditer(case.says, text, re.MULTILINE)) < case.times:
        yield f"it did not say {case.says!r}, but {text[-200:]!r}"
    if case.is_long and not 0.95 * running.options.seconds <= seconds <= running.options.seconds + LATE:
        yield f"it ran for {seconds:.1f} s"
    if running.children != case.processes - 1:
        yield f"it had {running.children} children"
    if case.is_long and case.memory and running.most < IDLE * case.processes:
        yield "it did not search"
    if running.most > case.limit:
        yield "too much memory"


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cases", default="")
    parser.add_argument("--gigabytes", type=float, default=1)
    options = parser.parse_args()
    known = cases(options.seconds)
    names = options.cases.split() or [case.name for case in known]
    for name in names:
        if name not in [case.name for case in known]:
            parser.error(f"unknown case `{name}`; expected {', '.join(case.name for case in known)}")
    program = Path(common("this_build"))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("| case | peak MiB | limit MiB | seconds | verdict | command |\n|---|---|---|---|---|---|", flush=True)
    failed = False
    for case in known:
        if case.name not in names:
            continue
        most, seconds, faults, note = measure(program, case, options)
        failed |= bool(faults)
        verdict = f"failed: {'; '.join(faults)}" if faults else "; ".join(filter(None, ("held", note)))
        line = case.line if len(case.line) < 300 else case.line[:100] + "..."
        print(f"| {case.name} | {most:.0f} | {case.limit} | {seconds:.0f} | {verdict} | `{line}` |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
