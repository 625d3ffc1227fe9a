#!/usr/bin/env python3
"""Injects faults into every command that writes, and checks what is left.

    scripts/hard/faults.py [--quick] [--kills 20] [--commands "match solve"] [--faults "kill full"] [--seed 1]

Prints a table: one row for each command, one column for each fault. Each cell runs the command with small work, injects
the fault, and checks

  - the exit status, and that standard error holds sentences of the program, without a panic;
  - every file that is left under its own name: it must be complete;
  - that the command then continues (with `--resume` where the program asks for it), without a fault, to the result of
    an undisturbed run with the same seed, and leaves no temporary file;
  - that all work that was finished in the folder is still there after the continuation, unchanged: games, steps,
    generations, results, parts. After signals a finished piece is also marked in a copy of the folder, and the
    continuation must keep the mark, so work that was thrown away and done again is noticed.

A run counts if the fault struck it: it was at work, and had taken signals over if it handles them. Others are repeated
at another moment, at most eight times.

Faults:
  kill        SIGKILL at random moments, as many as --kills says
  term, int   SIGTERM and SIGINT at a few random moments
  full        a full disk, and disks that become full midway
  readonly    a file system that is read-only
  vanish      the folder is removed midway
  pipe        nobody reads standard output
  devfull     standard output is /dev/full
  memory      limits of the address space from 8 MiB to 1 GiB
  clock       the clock is set back by a day midway

`full` and `readonly` mount small file systems in a namespace of their own; without the right to do that, and `clock`
without libfaketime (Debian package faketime), the cells are skipped and listed.

  --quick     a few moments, five commands and six faults, and `perft` with little memory, for scripts/check.sh
  --kills N   moments of SIGKILL for each command [20]
  --commands, --faults   only these [all]
  --seed N    seed of the moments [1]

Needs Python 3.10 and no packages. TANADA_BIN names a program to use instead of building this tree. Exit status: 0 every
cell is as expected, 1 some cell is wrong, 2 wrong arguments.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from http.client import HTTPException
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from common import Parser, common  # noqa: E402
from fault_bench import TRIES, Bench, Wrong  # noqa: E402
from fault_commands import COMMANDS, FAULTS  # noqa: E402

LIMITS = (8, 12, 16, 24, 32, 64, 128, 256, 1024)
LIBRARIES = (
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
)


class Matrix(Bench):
    """The faults of one command. Each returns how many runs it struck."""

    def signals(self, moments, number):
        for moment in moments:
            folder = self.strike(moment, number)
            self.keeps_marks(folder)
            self.continues(folder)
            shutil.rmtree(folder)
        return len(moments)

    def kill(self, generator, options):
        before = list(self.found)
        struck = self.signals(self.moments(generator, options.kills), signal.SIGKILL)
        # A check of finished work means nothing if no kill came after some.
        for share in (0.6, 0.7, 0.8, 0.9, 0.95, None):
            missing = [keeps.path for keeps, found, old in zip(self.command.keeps, self.found, before) if found == old]
            if not missing:
                break
            if share is None:
                raise Wrong(f"after {struck} kills there never was finished work in {', '.join(missing)}")
            struck += self.signals([share * self.seconds], signal.SIGKILL)
        return struck

    def term(self, generator, options):
        return self.signals(self.moments(generator, options.moments), signal.SIGTERM)

    def int(self, generator, options):
        return self.signals(self.moments(generator, options.moments), signal.SIGINT)

    def mounted(self, size):
        folder = self.fresh()
        mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
        return folder

    def full(self, _, options):
        sizes = [4096] if options.quick else [4096, 8192, *(int(self.bytes * share) for share in (0.3, 0.6, 0.9))]
        if not self.command.results:
            return 0
        struck = 0
        for size in sizes:
            folder = self.mounted(max(4096, size // 4096 * 4096))
            try:
                done = self.run(folder)
                self.speaks(done, {0, 1, 2})
                self.whole_files(folder, True)
                told = any(text in done.err for text in ("No space left", "cannot write", "cannot save"))
                if done.status != 0 and not told:
                    raise Wrong(f"no word about the disk: {done}")
                if done.status == 0 and not self.same(folder, done):
                    raise Wrong(f"status 0 without the result: {done}")
                struck += told or self.command.says_in_answers(done.out)
                mount("-o", "remount,size=64m", folder)
                self.continues(folder)
            finally:
                unmount(folder)
        if not struck:
            raise Wrong("no disk was too small")
        return struck

    def same(self, folder, done):
        try:
            return self.result(folder, done) == self.whole or self.command.says_in_answers(done.out)
        except Exception:
            return self.command.says_in_answers(done.out)

    def readonly(self, _, options):
        if not self.command.results:
            return 0
        folder = self.mounted("64m")
        try:
            mount("-o", "remount,ro", folder)
            done = self.run(folder)
            if not self.command.says_in_answers(done.out):
                self.speaks(done, {1, 2})
                if not any(text in done.err for text in ("cannot", "Read-only")):
                    raise Wrong(f"no word about the file system: {done}")
            if any(folder.iterdir()):
                raise Wrong("something was written to it")
            mount("-o", "remount,rw", folder)
            self.continues(folder)
        finally:
            unmount(folder)
        return 1

    def vanish(self, generator, options):
        if not self.command.results:
            return 0
        return self.at_work(self.moments(generator, options.moments), self.vanishes)

    def at_work(self, moments, attempt):
        """Makes one attempt for each moment, until it strikes a run that is at work."""
        for moment in moments:
            for _ in range(TRIES):
                folder = self.fresh()
                is_struck, seconds = attempt(folder, moment)
                shutil.rmtree(folder)
                if is_struck:
                    break
                self.repeated += 1
                moment *= 0.8 * min(1, seconds / self.seconds)
            else:
                raise Wrong(f"none of {TRIES} runs was still at work")
        return len(moments)

    def vanishes(self, folder, moment):
        process = self.start(folder)
        time.sleep(moment)
        is_gone = process.poll() is None
        # At once: a removal file by file would spare what is written meanwhile.
        shutil.rmtree(folder.rename(self.home / "gone"))
        done = self.end(process)
        self.speaks(done, {0, 1, 2})
        lost = done.status == 0 and is_gone and not self.command.says_in_answers(done.out)
        if lost and done.seconds > moment + 0.05 and not self.same(folder, done):
            raise Wrong(f"status 0, but the result is nowhere: {done}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.continues(folder)
        return is_gone, done.seconds

    def pipe(self, _, options):
        read, write = os.pipe()
        os.close(read)
        return self.output(write, {0, 1, 141})

    def devfull(self, _, options):
        return self.output(os.open("/dev/full", os.O_WRONLY), {1} if self.command.prints else {0, 1})

    def output(self, descriptor, expected):
        folder = self.fresh()
        done = self.run(folder, out=descriptor)
        os.close(descriptor)
        # A reader that left wanted no more: the status may be 0 without a word.
        self.speaks(done, expected)
        self.whole_files(folder, done.status != 0)
        self.continues(folder)
        shutil.rmtree(folder)
        return 1

    def memory(self, _, options):
        limits = LIMITS[2::3] if options.quick else LIMITS
        for limit in limits:
            folder = self.fresh()
            done = self.run(folder, limit=limit)
            # Below what the program itself needs, the loader or the allocator ends it: 127 and SIGABRT.
            expected = {0, 1, 2, 127}
            if "memory allocation of" in done.err:
                expected.add(-signal.SIGABRT)
            if limit <= 12:
                expected |= {-signal.SIGSEGV, -signal.SIGKILL}
            self.speaks(done, expected)
            self.whole_files(folder, True)
            self.continues(folder)
            shutil.rmtree(folder)
        return len(limits)

    def clock(self, generator, options):
        return self.at_work(self.moments(generator, options.moments), self.set_back)

    def set_back(self, folder, moment):
        offset = self.home / "offset"
        offset.write_text("+0")
        process = self.start(folder, extra=fake_time(offset))
        time.sleep(moment)
        is_struck = process.poll() is None
        if is_struck and not has_library(process.pid, "libfaketime"):
            process.kill()
            raise Wrong(f"the program runs without libfaketime: {self.end(process)}")
        offset.write_text("-1d")
        done = self.finish(process)
        self.speaks(done, {0})
        self.whole_files(folder, False)
        if self.result(folder, done) != self.whole:
            raise Wrong(f"another result: {done}")
        return is_struck, done.seconds


def has_library(process, name):
    """Whether a running process has loaded a library; true if it has just ended."""
    try:
        return name in Path(f"/proc/{process}/maps").read_text() or not Path(f"/proc/{process}/exe").exists()
    except OSError:
        return True


def fake_time(offset):
    """The environment in which the file `offset` sets the clock, at any moment."""
    library = next((path for path in LIBRARIES if Path(path).exists()), "")
    return {
        "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }  # fmt: skip


def sets_clock_back():
    """Whether libfaketime sets the clock of a running program back by a day."""
    code = "import time\nprint(time.time(), flush=True)\ninput()\nprint(time.time())"
    with tempfile.TemporaryDirectory(prefix="tanada-faults-") as home:
        offset = Path(home, "offset")
        offset.write_text("+0")
        trial = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **fake_time(offset)},
        )  # fmt: skip
        before = float(trial.stdout.readline())
        offset.write_text("-1d")
        after = float(trial.communicate("\n")[0])
    return before - 86400 <= after < before - 86000


def mount(*words):
    subprocess.run(["mount", *map(str, words)], check=True)


def unmount(folder):
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def can_mount():
    """Starts this script again in a mount namespace of its own; returns whether this run may mount."""
    if os.environ.get("TANADA_FAULTS_MOUNTS"):
        return os.environ["TANADA_FAULTS_MOUNTS"] == "yes"
    flags = ["--mount"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--mount"]
    trial = "f=$(mktemp -d) && mount -t tmpfs tmpfs $f && umount $f && rmdir $f"
    tried = shutil.which("unshare") and subprocess.run(
        ["unshare", *flags, "sh", "-c", trial], capture_output=True, check=False
    )
    works = bool(tried) and tried.returncode == 0
    os.environ["TANADA_FAULTS_MOUNTS"] = "yes" if works else "no"
    if works:
        os.execvp("unshare", ["unshare", *flags, sys.executable, *sys.argv])
    return False


def missing(fault, mounts):
    """Why a fault cannot be injected here and what would help, or None."""
    if fault in ("full", "readonly") and not mounts:
        return "no file system can be mounted", "run it as root"
    if fault == "clock" and not any(Path(path).exists() for path in LIBRARIES):
        return "there is no libfaketime", "apt-get install faketime"
    if fault == "clock" and not sets_clock_back():
        return "libfaketime does not set the clock back", "see whether `faketime -1d date` does"
    return None


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--commands", default="")
    parser.add_argument("--faults", default="")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.moments = 1 if options.quick else 5
    if options.quick:
        options.kills = min(options.kills, 2)
    names = options.commands.split() or [c.name for c in COMMANDS if c.quick or not options.quick]
    faults = options.faults.split() or [
        fault for fault in FAULTS if not options.quick or any(fault in command.quick for command in COMMANDS)
    ]
    for kind, asked, known in (("command", names, [c.name for c in COMMANDS]), ("fault", faults, FAULTS)):
        for word in asked:
            if word not in known:
                parser.error(f"unknown {kind} `{word}`; expected {', '.join(known)}")
    program = Path(common("this_build"))
    os.environ["TANADA_BIN"] = str(program)
    mounts = can_mount()
    wrong, skipped, cells = [], [], defaultdict(dict)
    for fault in faults:
        reason = missing(fault, mounts)
        if reason:
            skipped.append((fault, *reason))
    out = [fault for fault, *_ in skipped]
    print(f"{'':12}" + "".join(f"{fault:>10}" for fault in faults), flush=True)
    runs = repeated = pieces = 0
    for command in (c for c in COMMANDS if c.name in names):
        with tempfile.TemporaryDirectory(prefix="tanada-faults-") as home:
            generator = random.Random(f"{options.seed} {command.name}")
            try:
                bench = Matrix(program, command, Path(home))
            except (Wrong, OSError) as error:
                wrong.append((command.name, "-", error))
                print(f"{command.name}: {error}", flush=True)
                continue
            row = f"{command.name:12}"
            allowed = command.quick if options.quick and not options.faults else command.faults
            for fault in faults:
                if fault not in allowed:
                    row += f"{'-':>10}"
                    continue
                if fault in out:
                    row += f"{'skipped':>10}"
                    continue
                try:
                    count = getattr(bench, fault)(generator, options)
                    runs += count
                    row += f"{count or '-':>10}"
                except (Wrong, OSError, ValueError, HTTPException, subprocess.CalledProcessError) as error:
                    wrong.append((command.name, fault, error))
                    row += f"{'WRONG':>10}"
                    print(f"{command.name}, {fault}: {error}", flush=True)
            repeated += bench.repeated
            pieces += sum(bench.found)
            print(row, flush=True)
    print(
        f"\nA number counts runs that the fault struck and that ended as expected: {runs} in all. {repeated} more runs "
        f"were over, or did not handle signals yet, and were repeated. {pieces} times a finished piece of work was "
        "found again after the continuation."
    )
    for fault, why, remedy in skipped:
        print(f"{Path(sys.argv[0]).name}: SKIPPED {fault}: {why}; {remedy}", file=sys.stderr)
        if os.environ.get("CHECK_SKIPS"):
            with open(os.environ["CHECK_SKIPS"], "a", encoding="utf-8") as file:
                file.write(f"the fault {fault}: {why}; {remedy}\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
