#!/usr/bin/env python3
"""Injects faults into every command that writes, and checks what is left.

    scripts/hard/faults.py [--quick] [--kills 20] [--commands "match solve"] [--faults "kill full"] [--seed 1]

Prints a table: one row for each command, one column for each fault. Each cell runs the command with small work, injects
the fault, and checks

  - the exit status, and that standard error holds sentences of the program, without a panic;
  - every file that is left under its own name: it must be complete;
  - that the command then continues (with `--resume` where the program asks for it), without a fault, to the result of
    an undisturbed run with the same seed, and leaves no temporary file.

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

  --quick     a few moments, five commands and six faults, for scripts/check.sh
  --kills N   moments of SIGKILL for each command [20]
  --commands, --faults   only these [all]
  --seed N    seed of the moments [1]

Needs Python 3.10 and no packages. TANADA_BIN names a program to use instead of building this tree. Exit status: 0 every
cell is as expected, 1 some cell is wrong, 2 wrong arguments.
"""

import argparse
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from common import Parser, common, environment  # noqa: E402
from fault_commands import COMMANDS, complete, is_temporary  # noqa: E402

FAULTS = ("kill", "term", "int", "full", "readonly", "vanish", "pipe", "devfull", "memory", "clock")
QUICK = ("kill", "term", "full", "readonly", "pipe", "devfull")
MEBIBYTE = 1 << 20
LIMITS = (8, 12, 16, 24, 32, 64, 128, 256, 1024)
LIBRARIES = (
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
)
LONG = 120


class Wrong(Exception):
    """A cell that is not as expected."""


class Ended:
    """How a run ended."""

    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    def __str__(self):
        return f"status {self.status}, standard error {self.err[-300:]!r}"


class Bench:
    """Runs one command in a folder, and knows what an undisturbed run of it leaves."""

    def __init__(self, program, command, home):
        self.program, self.command, self.home = program, command, home
        self.aside = home / "aside"
        self.aside.mkdir()
        for line in command.before:
            done = self.run(home, line=line)
            if done.status != 0:
                raise Wrong(f"`{line}` prepares nothing: {done}")
        whole = self.fresh("whole")
        done = self.run(whole)
        if done.status != 0:
            raise Wrong(f"undisturbed: {done}")
        self.seconds = done.seconds
        self.whole = self.result(whole, done)
        self.bytes = sum(path.stat().st_blocks * 512 for path in whole.rglob("*") if path.is_file())
        self.number = 0

    def fresh(self, name=None):
        """A new empty folder."""
        if name is None:
            self.number += 1
            name = f"run{self.number}"
        folder = self.home / name
        folder.mkdir()
        return folder

    def words(self, folder, more=(), line=None):
        line = self.command.line if line is None else line
        words = [word.format(d=folder, home=self.home) for word in shlex.split(line)]
        return [str(self.program), *words, *more]

    def start(self, folder, more=(), limit=None, out=subprocess.PIPE, extra=None, line=None):
        """Starts the command; its standard input is written by a thread."""

        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_AS, (limit * MEBIBYTE, limit * MEBIBYTE))

        settings = environment()
        settings.update(TMPDIR=str(self.aside), XDG_STATE_HOME=str(folder), HOME=str(folder), RUST_BACKTRACE="0")
        settings.update(extra or {})
        text = self.command.input.replace("{d}", str(folder))
        process = subprocess.Popen(
            self.words(folder, more, line), stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE, env=settings,
            preexec_fn=prepare, cwd=self.home,
        )  # fmt: skip
        process.tanada_input = threading.Thread(target=feed, args=(process, text), daemon=True)
        process.tanada_input.start()
        process.tanada_begin = time.monotonic()
        return process

    def end(self, process):
        """Waits for the end of a run."""
        kept = {}

        def read(name):
            stream = getattr(process, name)
            kept[name] = stream.read() if stream else b""

        readers = [threading.Thread(target=read, args=(name,)) for name in ("stdout", "stderr")]
        for reader in readers:
            reader.start()
        try:
            status = process.wait(LONG)
        except subprocess.TimeoutExpired:
            process.kill()
            status = "hung"
        seconds = time.monotonic() - process.tanada_begin
        for reader in readers:
            reader.join()
        process.tanada_input.join(5)
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()
        return Ended(status, kept["stdout"], kept["stderr"].decode(errors="replace"), seconds)

    def run(self, folder, *arguments, **named):
        return self.end(self.start(folder, *arguments, **named))

    def result(self, folder, done):
        """What an undisturbed run leaves, without what may differ from run to run."""
        found = {name: how(folder / name) for name, how in self.command.results.items()}
        if self.command.prints:
            found["standard output"] = self.command.prints(done.out)
        return found

    # Checks.

    def speaks(self, done, expected):
        """Checks the status and the sentences of a run."""
        if done.status not in expected:
            raise Wrong(f"expected status {' or '.join(map(str, sorted(expected)))}: {done}")
        for word in ("panicked", "internal error"):
            if word in done.err:
                raise Wrong(f"a panic: {done}")
        if done.status in (1, 2, 130, 143) and not done.err.strip():
            raise Wrong(f"failed without a sentence: {done}")

    def whole_files(self, folder, temporary):
        """Checks that each file is complete; temporary ones may be there only if `temporary`."""
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or path.name == "lock":
                continue
            if is_temporary(path):
                if not temporary:
                    raise Wrong(f"`{path.name}` is left")
                continue
            try:
                complete(path, self.command, self.program)
            except Exception as error:
                raise Wrong(f"`{path.name}` ({path.stat().st_size} bytes) is not complete: {error!r}") from error

    def continues(self, folder):
        """Checks that the command comes to the undisturbed result from what is in the folder."""
        done = self.run(folder)
        if done.status == 2 and "--resume" in done.err:
            done = self.run(folder, ["--resume"])
        if done.status != 0:
            raise Wrong(f"does not continue: {done}")
        self.whole_files(folder, False)
        found = self.result(folder, done)
        for name, value in self.whole.items():
            if found[name] != value:
                pair = [str(result)[:200] for result in (found[name], value)]
                raise Wrong(f"continues to another result in {name}: {pair[0]!r}, not {pair[1]!r}")

    def moments(self, generator, count):
        return [generator.uniform(0.01, 0.95) * self.seconds for _ in range(count)]

    # Faults: each returns how many runs it made.

    def kill(self, generator, options):
        for moment in self.moments(generator, options.kills):
            folder = self.fresh()
            process = self.start(folder)
            time.sleep(moment)
            process.kill()
            done = self.end(process)
            self.speaks(done, {0, -signal.SIGKILL})
            self.whole_files(folder, True)
            self.continues(folder)
            shutil.rmtree(folder)
        return options.kills

    def interrupted(self, generator, options, number, status):
        moments = self.moments(generator, options.moments)
        for moment in moments:
            folder = self.fresh()
            process = self.start(folder)
            time.sleep(max(moment, 0.02))
            process.send_signal(number)
            done = self.end(process)
            # In its first milliseconds a program has not yet taken the signals over.
            early = {-number} if moment < 0.1 or self.command.is_protocol else set()
            self.speaks(done, {0, status} | early)
            self.whole_files(folder, True)
            parts = [path for path in folder.rglob("*") if "tanada-part" in path.name]
            if parts and not early:
                raise Wrong(f"an interrupt leaves a part: {done}")
            self.continues(folder)
            shutil.rmtree(folder)
        return len(moments)

    def term(self, generator, options):
        return self.interrupted(generator, options, signal.SIGTERM, 143)

    def int(self, generator, options):
        return self.interrupted(generator, options, signal.SIGINT, 130)

    def mounted(self, size):
        folder = self.fresh()
        mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
        return folder

    def full(self, _, options):
        sizes = [4096] if options.quick else [4096, 8192, *(int(self.bytes * share) for share in (0.3, 0.6, 0.9))]
        if not self.command.results:
            return 0
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
                mount("-o", "remount,size=64m", folder)
                self.continues(folder)
            finally:
                unmount(folder)
        return len(sizes)

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
        moments = self.moments(generator, options.moments)
        for moment in moments:
            folder = self.fresh()
            process = self.start(folder)
            time.sleep(max(moment, 0.02))
            gone = process.poll() is None
            shutil.rmtree(folder, ignore_errors=True)
            done = self.end(process)
            self.speaks(done, {0, 1, 2})
            lost = done.status == 0 and gone and not self.command.says_in_answers(done.out)
            if lost and done.seconds > moment + 0.05 and not self.same(folder, done):
                raise Wrong(f"status 0, but the result is nowhere: {done}")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            self.continues(folder)
            shutil.rmtree(folder)
        return len(moments)

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
        library = next((path for path in LIBRARIES if Path(path).exists()), None)
        moments = self.moments(generator, options.moments)
        for moment in moments:
            folder = self.fresh()
            offset = self.home / "offset"
            offset.write_text("+0")
            fake = {
                "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }  # fmt: skip
            process = self.start(folder, extra=fake)
            time.sleep(moment)
            offset.write_text("-1d")
            done = self.end(process)
            self.speaks(done, {0})
            self.whole_files(folder, False)
            if self.result(folder, done) != self.whole:
                raise Wrong(f"another result: {done}")
            shutil.rmtree(folder)
        return len(moments)


def feed(process, text):
    """Writes the standard input of a process."""
    try:
        process.stdin.write(text.encode())
        process.stdin.close()
    except (OSError, ValueError):
        pass


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
    faults = options.faults.split() or list(QUICK if options.quick else FAULTS)
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
    runs = 0
    for command in (c for c in COMMANDS if c.name in names):
        with tempfile.TemporaryDirectory(prefix="tanada-faults-") as home:
            generator = random.Random(f"{options.seed} {command.name}")
            try:
                bench = Bench(program, command, Path(home))
            except Wrong as error:
                wrong.append((command.name, "-", error))
                print(f"{command.name}: {error}", flush=True)
                continue
            row = f"{command.name:12}"
            for fault in faults:
                if fault in out:
                    row += f"{'skipped':>10}"
                    continue
                try:
                    count = getattr(bench, fault)(generator, options)
                    runs += count
                    row += f"{count or '-':>10}"
                except (Wrong, OSError, ValueError, subprocess.CalledProcessError) as error:
                    wrong.append((command.name, fault, error))
                    row += f"{'WRONG':>10}"
                    print(f"{command.name}, {fault}: {error}", flush=True)
            print(row, flush=True)
    print(f"\n{runs} runs with a fault; a number in a cell counts those that ended as expected")
    for fault, why, remedy in skipped:
        print(f"{Path(sys.argv[0]).name}: SKIPPED {fault}: {why}; {remedy}", file=sys.stderr)
        if os.environ.get("CHECK_SKIPS"):
            with open(os.environ["CHECK_SKIPS"], "a", encoding="utf-8") as file:
                file.write(f"the fault {fault}: {why}; {remedy}\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
