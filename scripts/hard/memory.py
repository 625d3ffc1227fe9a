#!/usr/bin/env python3
"""Measures the peak resident memory of long searches and oversized inputs, beside what `--memory` allows.

    scripts/hard/memory.py [--seconds 60] [--cases "search players"] [--gigabytes 1]

Prints a table: the most memory that was resident, the limit, and whether it held. The limit is `--memory` plus a
constant of 96 MiB for the program, its network, its threads and the input that it holds. Inputs of 1 GB are one line
or one request that the program has to refuse without keeping it; an SGF record of 100 MB is over the limit of its size
and refused, too, so both have the constant alone as their limit.

  --seconds N   seconds of each search [60]
  --cases LIST  only these [all]
  --gigabytes X size of the large inputs [1]

Needs Linux, Python 3.10 and no packages. TANADA_BIN names a program to use instead of building this tree. Exit status:
0 every limit held, 1 some did not or a command failed, 2 wrong arguments.
"""

import argparse
import json
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from common import Parser, common, environment  # noqa: E402

# MiB: the program itself, its network, the stacks of its threads, and what it holds of its input.
CONSTANT = 96
# Seconds after which a command is killed, besides those of its search.
PATIENCE = 600
CHUNK = b"9" * (1 << 20)


@dataclass
class Case:
    name: str
    line: str
    memory: int
    # Writes the standard input of the process, or talks to it.
    feed: Callable | None = None
    # Makes a file in the folder before the run.
    before: Callable | None = None
    statuses: tuple = (0, 3)
    # What the output must hold.
    says: str = ""


def gigabyte(options):
    return int(options.gigabytes * 1000)


def one_line(begin, end):
    """A line of 1 GB, and a proper line after it."""

    def feed(process, options):
        process.stdin.write(begin)
        for _ in range(gigabyte(options)):
            process.stdin.write(CHUNK)
        process.stdin.write(end)
        process.stdin.close()

    return feed


def queries(process, _):
    """10,000 queries at once."""
    for number in range(10_000):
        query = {"id": str(number), "boardXSize": 9, "boardYSize": 9, "moves": [], "maxVisits": 20}
        process.stdin.write(json.dumps(query).encode() + b"\n")
    process.stdin.close()


def record(folder):
    """An SGF record of 100 MB: one game with a comment."""
    with open(folder / "large.sgf", "wb") as file:
        file.write(b"(;GM[1]FF[4]SZ[9]C[")
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b"])")


def request(process, options):
    """A request of 1 GB to the web server, with the token that it prints."""
    process.answer = ""
    line = process.stdout.readline().decode()
    found = re.search(r"http://([^:/]+):(\d+)/\?token=(\w+)", line)
    host, port = found[1], int(found[2])
    answer = b""
    with socket.create_connection((host, port), timeout=60) as connection:
        size = gigabyte(options) << 20
        head = f"POST /api/position HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {found[3]}\r\n"
        connection.sendall((head + f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n").encode())
        try:
            for _ in range(gigabyte(options)):
                connection.sendall(CHUNK)
        except OSError:
            pass  # It closed the connection early.
        try:
            answer = connection.recv(200)
        except OSError:
            pass
    process.answer = answer.split(b"\r\n")[0].decode()
    process.terminate()


def cases(seconds):
    engine = f"--time-per-move {seconds} --threads 2"
    table = f"--memory 256 --threads 2 --time {seconds}"
    return (
        Case("search", f"genmove --size 19 {engine} --memory 1024", 1024),
        Case("players", f"genmove --size 19 --players 4 {engine} --memory 512", 512),
        Case("graph", f"genmove --size 9 {engine} --memory 16", 16),
        Case("taratibu", f"genmove --game taratibu {engine} --memory 64", 64),
        Case("solve", f"solve --size 7 {table}", 256),
        Case("prove", f"prove {{d}}/proof --size 6 --setup corners --nodes 100000 {table}", 256),
        Case("analysis", "analysis --analysis-threads 2 --memory 256", 256, feed=queries,
             says='"id":"9999","isDuringSearch"'),
        Case("sgf", "genmove {d}/large.sgf --iterations 10", 0, before=record, statuses=(2,)),
        Case("gtp", "gtp --size 9 --memory 16", 16, feed=one_line(b"play b ", b"\nname\nquit\n"), says="= Tanada"),
        Case("json", "analysis --analysis-threads 1 --memory 16", 16, says='"id":"after","isDuringSearch"',
             feed=one_line(b'{"id":"', b'"}\n{"id":"after","boardXSize":9,"boardYSize":9,"moves":[],"maxVisits":5}\n')),
        Case("web", "web --no-open --listen 127.0.0.1:0 --memory 16", 16, feed=request, statuses=(0, 143), says="413"),
    )  # fmt: skip


def peak(process):
    """The most resident memory of a process so far, in MiB."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
    except (OSError, TypeError):
        return 0.0


def measure(program, case, options):
    """Runs a case: its peak in MiB, its seconds, its status and what it said."""
    with tempfile.TemporaryDirectory(prefix="tanada-memory-") as folder:
        if case.before:
            case.before(Path(folder))
        words = [word.format(d=folder) for word in case.line.split()]
        begin = time.monotonic()
        out = tempfile.TemporaryFile()
        live = case.feed is request
        process = subprocess.Popen(
            [str(program), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE if live else out,
            stderr=subprocess.STDOUT, env=environment(),
        )  # fmt: skip

        def feed():
            try:
                if case.feed:
                    case.feed(process, options)
                else:
                    process.stdin.close()
            except (OSError, TypeError):
                process.terminate()  # It is gone already, or never said where it listens.

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        most, waited = 0.0, 0
        # A command that ends between two samples is measured by the kernel alone.
        while not waited:
            most = max(most, peak(process))
            waited, status, usage = os.wait4(process.pid, os.WNOHANG)
            if not waited and time.monotonic() - begin > options.seconds + PATIENCE:
                process.kill()
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        feeder.join(5)
        # The kernel's figure begins with the memory of this script, so it is only an upper bound.
        if time.monotonic() - begin < 1:
            most = usage.ru_maxrss / 1024
        if live:
            process.stdout.close()
            text = process.answer
        else:
            out.seek(0)
            text = out.read().decode(errors="replace")
        return most, time.monotonic() - begin, process.returncode, text


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
        most, seconds, status, text = measure(program, case, options)
        limit = case.memory + CONSTANT
        verdict = "held"
        if status not in case.statuses or "panicked" in text or case.says not in text:
            verdict = f"failed: status {status}, {text[-200:]!r}"
        elif most > limit:
            verdict = "too much"
        failed |= verdict != "held"
        print(f"| {case.name} | {most:.0f} | {limit} | {seconds:.0f} | {verdict} | `{case.line}` |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
