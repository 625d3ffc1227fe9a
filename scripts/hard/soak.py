#!/usr/bin/env python3
"""Runs Tanada for long, in pieces that add up.

    scripts/hard/soak.py PIECE --minutes M [--results FILE] [--seed N]
    scripts/hard/soak.py --total [--results FILE]

Pieces:
  plies   matches on every size and setup, with two to four players, and games of Taratibu, each ply compared with the
          independent oracle of the tests (scripts/hard/replay.sh); goal 10,000,000 plies
  clocks  games of two processes with 0.2 s + 0.005 s per move, none of which may end by anything but the rules
          (scripts/hard/time_losses.sh); goal 10,000 games
  gtp     one `tanada gtp` under a client that sends random commands; goal 24 hours with flat memory
  web     one `tanada web` under a client that sends random requests; goal 24 hours with flat memory

Each piece appends one line of JSON to the results file when its time is over or SIGINT or SIGTERM ends it; `--total`
adds the lines up. `gtp` and `web` sample the resident memory: flat means that it grows by less than 1 MiB an hour over
the second half of a piece of at least an hour. A shorter piece reports its slope alone, and `--total` does not count it.

  --minutes M      how long [10]
  --results FILE   results, appended [soak.jsonl]
  --seed N         seed [from the clock, so that no two pieces play the same games]

Needs Linux, Python 3.10 and no packages; `plies` needs a Rust toolchain. TANADA_BIN names a program to use instead of
building this tree. Exit status: 0 all is right, 1 something was wrong, 2 wrong arguments.
"""

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from common import ROOT, Parser, common, environment  # noqa: E402

GOALS = {"plies": ("plies", 10_000_000), "clocks": ("games", 10_000), "gtp": ("hours", 24), "web": ("hours", 24)}
# MiB an hour.
FLAT = 1.0
# Seconds in which each request is answered.
PATIENCE = 60
COLUMNS = "ABCDEFGHJKLMNOPQRST"
HARMLESS = (
    "name", "version", "protocol_version", "list_commands", "showboard", "genmove b", "genmove w", "undo",
    "clear_board", "printsgf", "help", "known_command undo", "final_score", "boardsize 9", "boardsize 13",
    "time_left b 10 0", "time_settings 60 1 0", "nothing", "loadsgf /nowhere.sgf", "gogui-rules_legal_moves", "gogui-rules_side_to_move",
    "\x00\xff", "gogui-analyze_commands", "tanada-param", "boardsize 400", "kata-time_settings none",
)  # fmt: skip


class Failed(Exception):
    """Something that may not happen."""


def script(*words, extra=None):
    """What a script of this folder prints."""
    done = subprocess.run(
        [str(word) for word in words], cwd=ROOT, env={**os.environ, **(extra or {})}, stdout=subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise Failed(f"`{' '.join(map(str, words[:2]))}` failed: {done.stdout[-500:]}")
    return done.stdout


def plies(_, seed, end):
    """Matches and games compared with the oracle, until the time is over."""
    total = {"plies": 0, "games": 0}
    while time.monotonic() < end:
        told = script("scripts/hard/replay.sh", "--seed", seed, "--pairs", 10, "--iterations", 20)
        games, count = re.search(r"replayed (\d+) games .*, (\d+) plies", told).groups()
        total["plies"] += int(count)
        total["games"] += int(games)
        told = script(
            "cargo", "test", "--locked", "--quiet", "--test", "tests", "--", "--ignored", "--nocapture", "--exact",
            "taratibu::many_games_go_as_the_oracle_says",
            extra={"TANADA_GAMES": "400", "TANADA_SEED": str(seed)},
        )  # fmt: skip
        games, count = re.search(r"compared (\d+) games of Taratibu, (\d+) steps", told).groups()
        total["plies"] += int(count)
        total["games"] += int(games)
        seed += 1
        yield total


def clocks(_, seed, end):
    """Games with short clocks."""
    total = {"games": 0, "least": None}
    while time.monotonic() < end:
        told = script("scripts/hard/time_losses.sh", "--short", 20, "--seed", seed)
        games, least = re.search(r": (\d+) games, .* time left (\S+) s", told).groups()
        total["games"] += int(games)
        if least != "unknown":
            total["least"] = float(least) if total["least"] is None else min(float(least), total["least"])
        seed += 1
        yield total


def resident(process):
    """Resident memory in MiB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    if not found:
        # It ended after it was polled; a zombie has no memory.
        raise Failed("the process ended while its memory was read")
    return int(found[1]) / 1024


def slope(samples):
    """MiB an hour over the second half of the samples of hours and MiB, by least squares."""
    late = samples[len(samples) // 2 :]
    if len(late) < 2:
        return 0.0
    middle = [sum(column) / len(late) for column in zip(*late)]
    spread = sum((hour - middle[0]) ** 2 for hour, _ in late)
    return sum((hour - middle[0]) * (memory - middle[1]) for hour, memory in late) / spread if spread else 0.0


def under_client(process, client, end):
    """Has a client ask a process until the time is over, and watches its memory."""
    begin = last = asked_at = time.monotonic()
    samples, asked = [], 0

    def watch():
        while process.poll() is None:
            time.sleep(1)
            if time.monotonic() - asked_at > PATIENCE:
                process.kill()

    threading.Thread(target=watch, daemon=True).start()
    while time.monotonic() < end:
        asked_at = time.monotonic()
        client()
        asked += 1
        if time.monotonic() - asked_at > PATIENCE:
            raise Failed(f"request {asked} was not answered within {PATIENCE} s")
        if process.poll() is not None:
            raise Failed(f"the process ended with status {process.returncode} after {asked} requests")
        if time.monotonic() - last >= 1:
            last = time.monotonic()
            samples.append(((last - begin) / 3600, resident(process)))
            yield summary(samples, asked)
    yield summary(samples, asked)


def summary(samples, asked):
    hours = samples[-1][0] if samples else 0.0
    memory = [memory for _, memory in samples] or [0.0]
    return {"hours": hours, "requests": asked, "slope": slope(samples), "first": memory[0], "most": max(memory)}


def gtp(program, seed, end):
    """One process of the protocol under a random client."""
    generator = random.Random(seed)
    process = subprocess.Popen(
        [program, "gtp", "--size", "9", "--threads", "1", "--iterations", "50", "--memory", "32"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(),
    )  # fmt: skip

    def ask():
        line = generator.choice(HARMLESS)
        if generator.random() < 0.5:
            point = generator.choice(COLUMNS) + str(generator.randint(1, 19))
            line = f"play {generator.choice('bwx')} {point}"
        process.stdin.write(f"{generator.randint(0, 999)} {line}\n".encode("latin-1"))
        process.stdin.flush()
        first = process.stdout.readline()
        if first[:1] not in (b"=", b"?"):
            gone = f"got no answer: the process ended, or was killed after {PATIENCE} s"
            raise Failed(f"`{line}` is answered by {first!r}" if first else f"`{line}` {gone}")
        while process.stdout.readline() not in (b"\n", b""):
            pass

    try:
        yield from under_client(process, ask, end)
    finally:
        process.kill()
        process.wait()


def web(program, seed, end):
    """One web server under a random client."""
    generator = random.Random(seed)
    process = subprocess.Popen(
        [program, "web", "--no-open", "--listen", "127.0.0.1:0", "--threads", "1", "--memory", "64"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(),
    )  # fmt: skip
    port, token = re.search(rb":(\d+)/\?token=(\w+)", process.stdout.readline()).groups()
    head = {"Authorization": f"Bearer {token.decode()}", "Content-Type": "application/json"}
    counts = {"accepted": 0, "refused": 0, "events": 0}
    page = f"{generator.randrange(1 << 62):016x}"

    def listen():
        """Reads the events of the page that stays open."""
        connection = http.client.HTTPConnection("127.0.0.1", int(port))
        connection.request("GET", f"/api/events?page={page}", headers=head)
        try:
            with connection.getresponse() as answer:
                for line in answer:
                    counts["events"] += line.startswith(b"event:")
        except (OSError, http.client.HTTPException):
            pass  # The server was killed at the end.

    threading.Thread(target=listen, daemon=True).start()
    time.sleep(1)

    def ask():
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=PATIENCE)
        kind = generator.randrange(6)
        # Legal moves of the default 9x9 board as often as any.
        moves = ["B3", "B7", "C2", "C8"][: generator.randrange(5)]
        if generator.random() < 0.5:
            moves.append(generator.choice(COLUMNS) + str(generator.randint(1, 9)))
        body = {"game": "tanbo", "start": {"size": generator.choice((9, 9, 9, 19, 99))}, "moves": moves}
        if kind == 0:
            connection.request("GET", generator.choice(("/", "/index.html", "/nothing", "/main.js")))
        elif kind == 1:
            connection.request("POST", "/api/catalog", b"{}", head)
        elif kind == 2:
            noise = bytes(generator.randrange(256) for _ in range(generator.randrange(2000)))
            connection.request("POST", "/api/position", noise, head)
        elif kind == 3:
            connection.request("POST", f"/api/{generator.choice(('position', 'replay'))}", json.dumps(body), head)
        elif kind == 4:
            work = {"page": page, "id": generator.randrange(1 << 32), "line": body}
            name, body = generator.choice((
                ("save", {"line": body, "format": generator.choice(("record", "position"))}),
                ("why", {"line": body, "to": generator.randrange(90)}),
                ("genmove", {**work, "level": generator.choice((None, "easy", "nobody")), "seconds": 0.1}),
                ("analyze", {**work, "best": 3}),
                ("review", {**work, "iterations": 50}),
                ("stop", {"page": page}),
            ))  # fmt: skip
            connection.request("POST", f"/api/{name}", json.dumps(body), head)
        else:
            # A page that opens and is closed again; its answer does not end.
            other = f"{generator.randrange(1 << 62):016x}"
            connection.request("GET", f"/api/events?page={other}", headers=head)
            connection.getresponse()
            connection.close()
            return
        answer = connection.getresponse()
        answer.read()
        connection.close()
        if kind in (3, 4):
            counts["accepted" if answer.status == 200 else "refused"] += 1
        if answer.status >= 500 and answer.status != 503:
            raise Failed(f"status {answer.status} for {body}")

    try:
        for found in under_client(process, ask, end):
            yield {**found, **counts}
    finally:
        process.kill()
        process.wait()


PIECES = {"plies": plies, "clocks": clocks, "gtp": gtp, "web": web}


def run(options):
    program = common("this_build")
    os.environ["TANADA_BIN"] = program
    seed = options.seed if options.seed is not None else int(time.time()) % 100_000_000
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    begin = time.monotonic()
    found, fault = {}, None
    try:
        for found in PIECES[options.piece](program, seed, begin + 60 * options.minutes):
            pass
    except KeyboardInterrupt:
        pass
    except (Failed, OSError, AttributeError, http.client.HTTPException) as error:
        fault = f"{type(error).__name__}: {error}"
    if found.get("hours", 0) >= 1 and found["slope"] > FLAT:
        fault = fault or f"the memory grows by {found['slope']:.2f} MiB an hour"
    version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    line = {
        "piece": options.piece, **found, "fault": fault, "seed": seed, "seconds": round(time.monotonic() - begin, 1),
        "program": version, "ended": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }  # fmt: skip
    with open(options.results, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(json.dumps(line))
    return 1 if fault else 0


def total(options):
    kept, faults = defaultdict(float), []
    counts, slopes = defaultdict(int), defaultdict(list)
    with open(options.results, encoding="utf-8") as file:
        for line in map(json.loads, file):
            piece = line["piece"]
            # Shorter pieces say nothing about the slope of the memory.
            if not line["fault"] and (piece not in ("gtp", "web") or line.get("hours", 0) >= 1):
                kept[piece] += line.get(GOALS[piece][0], 0)
            counts[piece] += 1
            if "slope" in line:
                slopes[piece].append(line["slope"])
            if line["fault"]:
                faults.append(f"{piece}, seed {line['seed']}: {line['fault']}")
    print("| piece | done | goal | pieces | slope MiB/h |\n|---|---|---|---|---|")
    for piece, (unit, goal) in GOALS.items():
        steep = f"{max(slopes[piece]):.2f}" if slopes[piece] else ""
        print(f"| {piece} | {kept[piece]:,.10g} {unit} | {goal:,} {unit} | {counts[piece]} | {steep} |")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("piece", nargs="?", choices=PIECES)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--results", default="soak.jsonl")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--total", action="store_true")
    options = parser.parse_args()
    if options.total == bool(options.piece):
        parser.error(f"expected either `--total` or a piece: {', '.join(PIECES)}")
    sys.exit(total(options) if options.total else run(options))


if __name__ == "__main__":
    main()
