#!/usr/bin/env python3
"""Runs `tanada prove` on many machines with Dask. Each position that the solver is to solve is a task.

    python3 -m venv target/venv && target/venv/bin/pip install -r scripts/cluster/requirements.txt
    target/venv/bin/python scripts/cluster/prove.py FOLDER [--workers N] [PROVE FLAGS]
    target/venv/bin/python scripts/cluster/prove.py FOLDER --scheduler tcp://HOST:8786 [PROVE FLAGS]

PROVE FLAGS are those of `tanada prove`: --size, --setup, --nodes, --time and so on. Needs Python 3.11. Without
--scheduler, the workers are processes on this machine, one for each core unless --workers says otherwise. For a
cluster, start `dask scheduler` on one machine and `dask worker tcp://HOST:8786 --nthreads CORES` on each, with the same
Python packages; each thread solves one position at a time. This script brings the program to them (--tanada, else
TANADA_BIN, else target/release/tanada). --threads are threads of this machine, which choose the positions.

FOLDER is that of a local `tanada prove FOLDER`, and either continues what the other began. Workers may come and go. If
one dies, another solves its position from the beginning; other failures are tried again too. A position that is no
longer needed is dropped.

Exit status: 0 the winner is known, 1 it is not, 2 wrong arguments, 3 --time is over, 130 interrupted, 143
terminated.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from arguments import Parser, Terminated, note, terminable

from tanada.cluster import ClusterError, Posted, Tasks, connect

INPUT_ENDED = 130  # The exit status of `tanada prove --delegate` that was told nothing.
PATIENCE = 60  # Seconds that `tanada prove --delegate` may take to end.
INTERVAL = 1  # Seconds between two looks at how many threads the cluster has.


def solve(context, job, memory, program):
    """Solves a position on a worker. Returns its winner, None if that takes too many nodes, and the nodes."""
    with context.folder("tanada-job-") as folder:
        position, output = Path(folder, "position"), Path(folder, "output")
        position.write_text(job["position"] + "\n")
        command = [program, "solve", position, "--json", "--threads", 1, "--memory", memory, "--nodes", job["nodes"]]
        with open(output, "wb") as stdout:
            ended = context.run(folder, command, stdout=stdout)
        text = output.read_text(errors="replace")
    if ended.status not in (0, 3):
        raise RuntimeError(ended.sentence("tanada solve"))
    return answer_of(text, ("black", "white") if ended.status == 0 else (None,))


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


class Proof:
    """A run of `tanada prove --delegate`, and the tasks of its jobs."""

    def __init__(self, workers, program, command, memory):
        self.workers = workers
        program = workers.bring(program)
        # Whoever chooses the positions is told of a failure, and may choose another one.
        self.tasks = Tasks(
            workers, solve, arguments=lambda job: (job, memory, program), name=lambda job: f"`{job['position']}`",
            tell=lambda job, failure: self.say(job=job["job"], lost=failure), is_tried_again=False,
            identity=lambda job: job["position"],
        )
        self.threads = workers.threads()
        # In a session of its own, so that an interrupt from the terminal reaches only this process.
        self.process = subprocess.Popen(
            [*command, "--delegate", str(self.threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        try:
            for line in self.process.stdout:
                self.tasks.post(json.loads(line))
        except ValueError:
            pass  # It was killed while it wrote the line.
        finally:
            self.tasks.post(None)

    def run(self):
        """Serves `tanada prove` until it ends. Returns its last line, if it came that far, and its exit status."""
        done, look_at = {}, time.monotonic() + INTERVAL
        while True:
            if time.monotonic() >= look_at:
                self.look()
                look_at = time.monotonic() + INTERVAL
            arrival = self.tasks.next(timeout=INTERVAL)
            if arrival is None:
                continue
            if not isinstance(arrival, Posted):
                job, (winner, nodes) = arrival
                self.say(job=job["job"], winner=winner, nodes=nodes)
                continue
            line = arrival.message
            if line is None:
                # Negative after a signal.
                return done, min(abs(self.process.wait()), 255)
            if "done" in line:
                done = line
            elif "cancel" in line:
                self.tasks.drop(lambda job, number=line["cancel"]: job["job"] == number)
            else:
                self.tasks.submit(line, priority=line["worth"])

    def say(self, **answer):
        try:
            self.process.stdin.write(json.dumps(answer) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended; its last lines say why.

    def look(self):
        """Asks for as many jobs as the cluster has threads."""
        threads = self.workers.threads()
        if threads != self.threads:
            self.threads = threads
            self.say(jobs=threads)

    def end(self):
        """Ends everything that still runs."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.tasks.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass  # What it has not written is solved again.
        finally:
            self.process.kill()


def show(done, is_json):
    """Prints the last line of `tanada prove --delegate` as `tanada prove` would print it."""
    if done:
        print(json.dumps(done["done"]) if is_json else done["text"], end="\n" if is_json else "")


def certify(command, own):
    """Writes the certificate of a finished proof on this machine, and prints the answer."""
    endings = [] if own.endings is None else ["--endings", str(own.endings)]
    return subprocess.call([*command, "--certificate", own.certificate, *endings, *(["--json"] if own.json else [])])


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
    parser.add_argument("--endings", metavar="N", type=int, help="as for `tanada prove`")
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
    if own.endings is not None:
        if own.certificate is None:
            parser.error("`--endings` is for `--certificate`")
        if not 1 <= own.endings <= 10**6:
            parser.error(f"invalid value `{own.endings}` for `--endings`: expected a whole number, 1 to 10^6")
    program = parser.check_cluster(own)
    command = [program, "prove", own.folder, *flags]

    def finish(done, status):
        if status == 0 and own.certificate is not None:
            return certify(command, own)
        show(done, own.json)
        return status

    try:
        done = prepare(command)
        if done is not None:
            return finish(done, 0)
        with terminable(), connect(own.scheduler, own.workers) as workers:
            proof = Proof(workers, program, command, own.memory_per_job)
            try:
                done, status = proof.run()
            finally:
                proof.end()
        return finish(done, status)
    except (ClusterError, OSError) as error:
        note(f"{parser.prog}: {error}; the same command continues")
        return 1
    except KeyboardInterrupt as stop:
        note(f"{parser.prog}: interrupted; the same command continues")
        return 143 if isinstance(stop, Terminated) else 130


if __name__ == "__main__":
    sys.exit(main())
