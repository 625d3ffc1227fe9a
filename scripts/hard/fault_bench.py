"""Runs one command for scripts/hard/faults.py, undisturbed or with a fault, and checks what it leaves."""

import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from common import environment
from fault_checks import complete, is_temporary, lost, must_not_be_left

MEBIBYTE = 1 << 20
# Seconds after which a run counts as hung.
LONG = 120
# How often a run is repeated that ended before the fault, or had not begun to handle signals.
TRIES = 8


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
        # Runs that were repeated, and pieces of finished work that were looked for in each place.
        self.repeated, self.found = 0, [0] * len(command.keeps)
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

    def finish(self, process):
        """Waits for the end of a run; a server is used and then ended by a signal."""
        is_served = False
        try:
            is_served = self.command.serves and process.stdout and visit(process)
        finally:
            # Without a page it would serve for ever.
            if self.command.serves and process.stdout:
                process.terminate()
        done = self.end(process)
        if is_served and done.status == 128 + signal.SIGTERM:
            done.status = 0
        return done

    def run(self, folder, *arguments, **named):
        return self.finish(self.start(folder, *arguments, **named))

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
                if not path.name.endswith(".tanada-selfplay"):
                    continue
            try:
                complete(path, self)
            except Exception as error:
                raise Wrong(f"`{path.name}` ({path.stat().st_size} bytes) is not complete: {error!r}") from error

    def finished(self, folder):
        """The pieces of work that are finished in a folder, for each place where the command keeps some."""
        try:
            return [keeps.before(folder) for keeps in self.command.keeps]
        except (ValueError, KeyError, OSError) as error:
            raise Wrong(f"finished work cannot be read: {error!r}") from error

    def resume(self, folder, what):
        """Continues without a fault, and checks that what was finished is still there, unchanged."""
        before = self.finished(folder)
        done = self.run(folder)
        if done.status == 2 and "--resume" in done.err:
            done = self.run(folder, ["--resume"])
        if done.status != 0:
            raise Wrong(f"{what}does not continue: {done}")
        for number, (keeps, pieces) in enumerate(zip(self.command.keeps, before)):
            gone = lost(pieces, keeps.after(folder))
            if gone is not None:
                raise Wrong(f"{what}finished work in {keeps.path} is lost: {gone}")
            self.found[number] += len(pieces)
        return done

    def continues(self, folder):
        """Checks that the command comes to the undisturbed result from what is in the folder."""
        done = self.resume(folder, "")
        self.whole_files(folder, False)
        found = self.result(folder, done)
        for name, value in self.whole.items():
            if found[name] != value:
                pair = [str(result)[:200] for result in (found[name], value)]
                raise Wrong(f"continues to another result in {name}: {pair[0]!r}, not {pair[1]!r}")

    def keeps_marks(self, folder):
        """Marks finished work in a copy of the folder, and checks that the command continues with the mark."""
        places = [
            keeps for keeps, pieces in zip(self.command.keeps, self.finished(folder)) if keeps.mark and len(pieces)
        ]
        if not places:
            return
        copy = self.fresh()
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        for keeps in places:
            keeps.mark(copy / keeps.path)
        self.resume(copy, "with a mark, ")
        shutil.rmtree(copy)

    def signalled(self, folder, done, number, is_caught):
        """Checks how a run ended after a signal and what it left."""
        own = {128 + number} if self.command.handles_signals and number != signal.SIGKILL else set()
        self.speaks(done, {0} | own if is_caught else {0, -number} | own)
        self.whole_files(folder, True)
        if is_caught:
            left = [path.name for path in folder.rglob("*") if must_not_be_left(path)]
            if left:
                raise Wrong(f"the signal left {', '.join(left)}: {done}")
        aside = [path.name for path in self.aside.iterdir()]
        if aside:
            raise Wrong(f"the temporary folder has {', '.join(aside)}: {done}")
        if self.command.promises:
            try:
                self.command.promises(done, folder, self.whole)
            except ValueError as error:
                raise Wrong(f"a promise is broken: {error}") from error

    def strike(self, moment, number):
        """Ends a run by a signal at a moment, and returns its folder.

        The signal strikes if the run was at work: it died of SIGKILL, or ended by its own handler if it has one. A run
        that was over, or that did not handle signals yet, is checked too, but repeated at another moment.
        """
        for _ in range(TRIES):
            # Other faults leave results here that could not be written to their place.
            for path in self.aside.iterdir():
                path.unlink()
            folder = self.fresh()
            process = self.start(folder)
            time.sleep(moment)
            is_caught = process.poll() is None and catches(process.pid, number)
            process.send_signal(number)
            done = self.end(process)
            self.signalled(folder, done, number, is_caught)
            by_itself = self.command.handles_signals and number != signal.SIGKILL
            if done.status == (128 + number if by_itself else -number) and is_caught == by_itself:
                return folder
            if done.status == 0:
                moment *= 0.8 * min(1, done.seconds / self.seconds)
            else:
                moment = moment * 1.5 + 0.02
                self.continues(folder)
            self.repeated += 1
            shutil.rmtree(folder)
        raise Wrong(f"none of {TRIES} runs was struck by the signal: {done}")

    def moments(self, generator, count):
        """One random moment in each of `count` equal pieces of the run."""
        return [(0.01 + 0.94 * (piece + generator.random()) / count) * self.seconds for piece in range(count)]


def catches(process, number):
    """Whether a running process has a handler for a signal."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
    return bool(int(re.search(r"^SigCgt:\s*([0-9a-f]+)", status, re.M)[1], 16) >> (number - 1) & 1)


def visit(process):
    """Loads the page of a server; returns whether it had started."""
    line = process.stdout.readline().decode()
    if not line.startswith("listening on "):
        return False
    with urllib.request.urlopen(line.split()[-1], timeout=LONG) as page:
        if b"</html>" not in page.read():
            raise Wrong("the server gives no page")
    return True


def feed(process, text):
    """Writes the standard input of a process."""
    try:
        process.stdin.write(text.encode())
        process.stdin.close()
    except (OSError, ValueError):
        pass
