#!/usr/bin/env python3
"""Runs `tanada prove` on many machines with Dask. Each position that the solver is to solve is a task.

    python3 -m venv target/venv && target/venv/bin/pip install -r scripts/cluster/requirements.txt
    target/venv/bin/python scripts/cluster/prove.py FOLDER [--workers N] [PROVE FLAGS]
    target/venv/bin/python scripts/cluster/prove.py FOLDER --scheduler tcp://HOST:8786 [PROVE FLAGS]

PROVE FLAGS are those of `tanada prove`: --size, --setup, --nodes, --time and so on. Needs Python 3.11. Without
--scheduler, the workers are processes on this machine, one for each core unless --workers says otherwise. For a
cluster, start `dask scheduler` on one machine and `dask worker tcp://HOST:8786 --nthreads CORES` on each, with the same
Python packages; each thread solves one position at a time. Every machine needs the same program (--tanada, else
TANADA_BIN, else target/release/tanada) at the same path. --threads are threads of this machine, which choose the
positions.

FOLDER is that of a local `tanada prove FOLDER`, and either continues what the other began. Workers may come and go. If
one dies, another solves its position from the beginning; other failures are tried again too. A position that is no
longer needed is dropped.

Exit status: 0 the winner is known, 1 it is not, 2 wrong arguments, 3 --time is over, 130 interrupted.
"""

import functools
import json
import os
import queue
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

from workers import (
    TRIES, Parser, check_program, connection, digest_of, drop_programs, failure_of, note, own_folder, run_on_worker,
    travels,
)

INPUT_ENDED = 130  # The exit status of `tanada prove --delegate` that was told nothing.
INTERVAL = 1  # Seconds between two looks at how many threads the cluster has.


def solve(job, memory, program, digest, token):
    """Solves a position on a worker. Returns its winner, None if that takes too many nodes, and the nodes."""
    check_program(program, digest)
    with own_folder("tanada-job-") as folder:
        position, output = Path(folder, "position"), Path(folder, "output")
        position.write_text(job["position"] + "\n")
        command = [program, "solve", position, "--json", "--threads", 1, "--memory", memory, "--nodes", job["nodes"]]
        with open(output, "wb") as stdout:
            code, said, _ = run_on_worker(folder, command, token, stdout=stdout)
        text = output.read_text(errors="replace")
    if code not in (0, 3):
        raise RuntimeError(said[-1] if said else f"`tanada solve` ended with status {code}")
    return answer_of(text, ("black", "white") if code == 0 else (None,))


def answer_of(text, winners):
    """The winner and the nodes in the output of `tanada solve --json`."""
    try:
        answer = json.loads(text)
        winner, nodes = answer["winner"], answer["nodes"]
    except (ValueError, TypeError, KeyError):
        winner, nodes = None, None
    if winner not in winners or type(nodes) is not int or nodes < 0:
        raise RuntimeError(f"`{text.strip()[:60]}` is no answer of `tanada solve --json`")
    return winner, nodes


class Stop(Exception):
    """The proof cannot continue now; what is known is kept."""


class Proof:
    """A run of `tanada prove --delegate`, and the tasks of its jobs."""

    def __init__(self, client, program, command, memory):
        self.client, self.program, self.memory = client, program, memory
        self.digest, self.token = digest_of(program), uuid.uuid4().hex
        self.running, self.tries = {}, {}
        self.events = queue.SimpleQueue()
        self.threads = self.count_threads()
        # In a session of its own, so that an interrupt from the terminal reaches only this process.
        self.process = subprocess.Popen(
            [*command, "--delegate", str(self.threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        threading.Thread(target=self.listen, daemon=True).start()

    def count_threads(self):
        return max(1, sum(self.client.nthreads().values()))

    def listen(self):
        try:
            for line in self.process.stdout:
                self.events.put((self.order, json.loads(line)))
        except ValueError:
            pass  # It was killed while it wrote the line.
        finally:
            self.events.put((None, None))

    def run(self):
        """Serves `tanada prove` until it ends. Returns its last line, if it came that far, and its exit status."""
        done, look_at = {}, time.monotonic() + INTERVAL
        while True:
            if time.monotonic() >= look_at:
                self.look()
                look_at = time.monotonic() + INTERVAL
            try:
                call, argument = self.events.get(timeout=INTERVAL)
            except queue.Empty:
                continue
            if call is None:
                # Negative after a signal.
                return done, min(abs(self.process.wait()), 255)
            if call == self.order and "done" in argument:
                done = argument
            else:
                call(argument)

    def say(self, **answer):
        try:
            self.process.stdin.write(json.dumps(answer) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended; its last lines say why.

    def look(self):
        """Asks for as many jobs as the cluster has threads."""
        threads = self.count_threads()
        if threads != self.threads:
            self.threads = threads
            self.say(jobs=threads)

    def order(self, line):
        """Follows a line of `tanada prove`."""
        if "cancel" in line:
            self.drop(line["cancel"])
            return
        number = line["job"]
        future = self.client.submit(
            solve, line, self.memory, self.program, self.digest, self.token_of(number),
            key=f"tanada-{self.token}-{number}", priority=line["worth"], pure=False, retries=0,
        )
        self.running[number] = (line, future)
        future.add_done_callback(functools.partial(self.has_ended, number))

    def has_ended(self, number, _):
        """Called by a thread of Dask."""
        self.events.put((self.finish, number))

    def finish(self, number):
        """Answers a job whose task has ended."""
        line, future = self.running.pop(number, (None, None))
        if future is None:
            return  # It was dropped.
        if future.status == "finished":
            winner, nodes = future.result()
            self.say(job=number, winner=winner, nodes=nodes)
        elif future.status == "cancelled":
            raise Stop("the connection to the scheduler is lost")
        else:
            failure, position = failure_of(future), line["position"]
            self.tries[position] = self.tries.get(position, 0) + 1
            if self.tries[position] >= TRIES:
                raise Stop(f"`{position}` failed {TRIES} times: {failure}")
            self.say(job=number, lost=failure)

    def token_of(self, number):
        return f"{self.token}-{number}"

    def drop(self, *numbers):
        """Ends tasks with their programs."""
        tasks = {number: self.running.pop(number) for number in numbers if number in self.running}
        if tasks:
            self.client.cancel([future for _, future in tasks.values()], force=True)
            drop_programs(self.client, *map(self.token_of, tasks), also_later=True)

    def end(self):
        """Ends everything that still runs."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.drop(*self.running)
        try:
            self.process.wait(60)
        finally:
            self.process.kill()


def show(done, is_json):
    """Prints the last line of `tanada prove --delegate` as `tanada prove` would print it."""
    if done:
        print(json.dumps(done["done"]) if is_json else done["text"], end="\n" if is_json else "")


def certify(command, path, is_json):
    """Writes the certificate of a finished proof on this machine, and prints the answer."""
    return subprocess.call([*command, "--certificate", path, *(["--json"] if is_json else [])])


def prepare(command):
    """Checks the arguments. Returns the last line of a proof that is finished already."""
    done = subprocess.run(
        [*command, "--delegate", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, check=False,
    )
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    if done.returncode != INPUT_ENDED:
        sys.stderr.write(done.stderr)
        sys.exit(done.returncode)
    return None


def main():
    parser = Parser(description=__doc__, usage="%(prog)s FOLDER [options] [flags of `tanada prove`]")
    parser.add_argument("folder", metavar="FOLDER", help="folder of the proof")
    parser.add_cluster()
    parser.add_argument(
        "--memory-per-job", metavar="MIB", type=int, default=512, help="table of each solver on a worker [512]"
    )
    parser.add_argument("--certificate", metavar="FILE", help="write a certificate, on this machine, once all is known")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of the table")
    own, flags = parser.parse_known_args()
    if sys.argv[1].startswith("-"):
        parser.error(f"unexpected argument `{sys.argv[1]}`: the first one is FOLDER")
    for flag in flags:
        if flag.split("=")[0] == "--delegate":
            parser.error(f"unexpected argument `{flag}`: there are as many jobs as the cluster has threads")
    if own.memory_per_job < 1:
        parser.error(
            f"invalid value `{own.memory_per_job}` for `--memory-per-job`: expected a whole number, 1 or more"
        )
    if own.certificate is not None and not os.access(Path(own.certificate).absolute().parent, os.W_OK):
        parser.error(f"cannot write `{own.certificate}`")
    program = parser.check_cluster(own)
    command = [program, "prove", own.folder, *flags]

    def finish(done, status):
        if status == 0 and own.certificate is not None:
            return certify(command, own.certificate, own.json)
        show(done, own.json)
        return status

    try:
        done = prepare(command)
        if done is not None:
            return finish(done, 0)
        travels()
        with connection(own.scheduler, own.workers) as client:
            proof = Proof(client, program, command, own.memory_per_job)
            try:
                done, status = proof.run()
            finally:
                proof.end()
        return finish(done, status)
    except (Stop, OSError) as error:
        note(f"{parser.prog}: {error}; the same command continues")
        return 1
    except KeyboardInterrupt:
        note(f"{parser.prog}: interrupted; the same command continues")
        return 130


if __name__ == "__main__":
    sys.exit(main())
