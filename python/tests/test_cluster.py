"""Programs, files and tasks on workers of Dask: processes of this machine, some of which are killed."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conftest import assert_gone, is_alive
from tanada import ClusterError
from tanada.cluster import Log, Posted, Tasks, connect, hold, own_folder, run_program
from tanada.cluster.files import Lease


#: Workers of another process, which outlive a connection. It ends with its standard input.
MACHINES = """
import dask, distributed, sys
if __name__ == "__main__":
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    made = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    print(made.scheduler_address, flush=True)
    for line in sys.stdin:
        made.scale(int(line))
    made.close()
"""


class Machines:
    """A scheduler with two workers that cannot import this package."""

    def __init__(self, folder):
        (folder / "tanada.py").write_text("raise ImportError('this machine has no package tanada')\n")
        path = folder / "machines.py"
        path.write_text(MACHINES)
        self.folder = folder / "scratch"
        environment = {**os.environ, "PYTHONPATH": str(folder), "DASK_TEMPORARY_DIRECTORY": str(self.folder)}
        self.process = subprocess.Popen(
            [sys.executable, str(path)], cwd="/", env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.address = self.process.stdout.readline().strip()

    def scale(self, workers):
        self.process.stdin.write(f"{workers}\n")
        self.process.stdin.flush()

    def files(self):
        """The copies of brought files."""
        return [
            Path(folder, name)
            for folder, _, names in os.walk(self.folder)
            for name in names
            if Path(folder).parent.name == "tanada" and not name.startswith(".")
        ]

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        # With a worker that was just killed, Dask may take long; all processes end with this one.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(15)
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def shared_machines(tmp_path_factory):
    made = Machines(tmp_path_factory.mktemp("machines"))
    yield made
    made.close()


@pytest.fixture
def machines(shared_machines):
    """The same machines for most tests, without files of the test before."""
    wait_until(lambda: not shared_machines.files())
    return shared_machines


@pytest.fixture
def workers(machines):
    with connect(machines.address) as made:
        made.client.wait_for_workers(2, timeout=60)
        yield made


@pytest.fixture
def mortals(tmp_path):
    """Machines for a test that kills workers; Dask does not always start others in their place."""
    made = Machines(tmp_path)
    yield made
    made.close()


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, f"did not happen in {seconds} s"
        time.sleep(0.02)
    return result


# Functions of tasks.


def copy_of(context, number, file, pause=0.1):
    """Where a worker has a file."""
    path = Path(context.path(file))
    time.sleep(pause)
    return os.getpid(), str(path), path.stat().st_ino, path.read_bytes()


def copies_at(context, number, files, moment):
    """Fetches files from a moment on, at which other workers begin too."""
    time.sleep(max(0, moment - time.time()))
    for file in files:
        context.path(file)
    return os.getpid()


def alter(context, number, file):
    path = Path(context.path(file))
    path.chmod(0o600)
    path.write_bytes(b"something else")


def refuse(context, number):
    raise RuntimeError(f"{number} is unlucky")


def kill_worker(context, number, mark):
    """Kills its worker the first time, and always if there is no mark."""
    if mark is None or not Path(mark).exists():
        if mark is not None:
            Path(mark).write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def play(context, number, program, place):
    """Runs a program that notes its number, and takes long."""
    with context.folder() as folder:
        ended = context.run(folder, [program, place, number])
    if ended.status != 0:
        raise RuntimeError(ended.sentence("fake"))
    return ended.said, ended.cpu


def see_context(context, *arguments):
    return arguments


def started(place):
    """The numbers of the processes that `play` has started."""
    return [int(path.read_text()) for path in Path(place).glob("*.pid") if path.read_text().endswith("\n")]


LONG = 'echo $$ > "$1/$2.pid"\nexec sleep 300'


# Files.


def test_a_file_comes_once_to_a_machine_and_goes_at_the_end(machines, tmp_path):
    content = os.urandom(300_000)
    path = tmp_path / "weights"
    path.write_bytes(content)
    with connect(machines.address) as workers:
        workers.client.wait_for_workers(2, timeout=60)
        file = workers.bring(path)
        assert workers.bring(path) == file
        path.unlink()  # Nobody needs it there any more.
        with Tasks(workers, copy_of, range(8), arguments=lambda number: (number, file)) as tasks:
            found = [result for _, result in tasks]
        assert len({pid for pid, *_ in found}) == 2
        # One copy, with one number, of the right content, in the folder of its hash.
        assert {result[1:] for result in found} == {(found[0][1], found[0][2], content)}
        assert Path(found[0][1]).parts[-3:] == ("tanada", file.digest, "weights")
        assert workers.traffic() == (len(content), len(content))
        # A worker that joins later uses it too.
        machines.scale(3)
        workers.client.wait_for_workers(3, timeout=60)
        pids = {pid for pid, *_ in found}
        with Tasks(workers, copy_of, range(30), arguments=lambda number: (number, file)) as tasks:
            wait_until(lambda: next(iter(tasks))[1][0] not in pids)
        assert workers.traffic() == (len(content), len(content))
        assert len(machines.files()) == 1
        machines.scale(2)
    wait_until(lambda: not machines.files())


def test_workers_that_need_a_file_at_the_same_time_fetch_it_once(machines, workers):
    files = [workers.bring_content("weights", os.urandom(200_000)) for _ in range(30)]
    moment = time.time() + 2
    with Tasks(workers, copies_at, [1, 2], arguments=lambda number: (number, files, moment)) as tasks:
        assert len({pid for _, pid in tasks}) == 2
    assert workers.traffic() == (30 * 200_000, 30 * 200_000)
    assert len(machines.files()) == 30


def test_a_folder_goes_with_the_last_worker_that_uses_it(tmp_path):
    folder = tmp_path / "tanada" / "0123"
    leases = [Lease(folder), Lease(folder)]
    (folder / "weights").write_text("1 2 3")
    leases[0].end()
    assert (folder / "weights").read_text() == "1 2 3"
    leases[1].end()
    assert not folder.exists()
    again = Lease(folder)
    assert folder.exists()
    again.end()
    assert not folder.exists()


def test_an_altered_copy_is_replaced_and_reported(machines, workers):
    file = workers.bring_content("openings", b"C2 C8\n")
    for function in (copy_of, alter, copy_of):
        with Tasks(workers, function, [1], arguments=lambda number: (number, file)) as tasks:
            [(_, result)] = tasks
    assert result[-1] == b"C2 C8\n"
    assert workers.traffic() == (6, 12)
    said = [line for lines in workers.client.get_worker_logs().values() for _, line in lines]
    assert [line for line in said if "`" in line and line.endswith("was altered, and is replaced")], said


def test_what_a_killed_worker_left_is_used(mortals):
    with connect(mortals.address) as workers:
        workers.client.wait_for_workers(2, timeout=60)
        file = workers.bring_content("openings", b"C2 C8\n")
        with Tasks(workers, copy_of, range(4), arguments=lambda number: (number, file)) as tasks:
            before = {result[0]: result[2] for _, result in tasks}
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, before)))
        with Tasks(workers, copy_of, [1], arguments=lambda number: (number, file)) as tasks:
            [(_, (pid, _, inode, _))] = tasks
        assert pid not in before and inode in before.values()


def test_what_cannot_be_brought_is_one_sentence(machines, workers, tmp_path):
    with pytest.raises(ClusterError, match="^cannot read `/nowhere/at/all`: No such file or directory$"):
        workers.bring("/nowhere/at/all")
    with pytest.raises(ClusterError, match="^cannot read `.*`: Is a directory$"):
        workers.bring(tmp_path)
    for name in ("../weights", ".lease", ""):
        with pytest.raises(ValueError, match="^invalid name "):
            workers.bring_content(name, b"1 2 3")
    # A place that cannot be written on a worker.
    file = workers.bring_content("weights", b"1 2 3")
    (machines.folder / "dask-scratch-space/tanada" / file.digest).write_text("")
    with Tasks(workers, copy_of, [1], arguments=lambda number: (number, file), name="job {}".format, tries=2) as tasks:
        with pytest.raises(ClusterError, match="^job 1 failed 2 times: cannot bring `weights` to .*: File exists$"):
            list(tasks)
    (machines.folder / "dask-scratch-space/tanada" / file.digest).unlink()


# Tasks.


def test_jobs_are_taken_as_threads_become_free(machines, workers):
    taken = []

    def jobs():
        for number in range(12):
            taken.append(number)
            yield number

    with Tasks(workers, see_context, jobs()) as tasks:
        for job, result in tasks:
            assert result == (job,)
            assert len(taken) <= 12
            if job == 0:
                assert len(taken) < 8
    assert taken == list(range(12))


def test_a_task_that_always_fails_stops_the_run(machines, workers):
    told = []
    with Tasks(
        workers, refuse, [7], name="job {}".format, tell=lambda job, reason: told.append((job, reason))
    ) as tasks:
        with pytest.raises(ClusterError, match="^job 7 failed 5 times: 7 is unlucky$"):
            list(tasks)
    assert told == [(7, "7 is unlucky")] * 4


def test_a_killed_worker_costs_nothing_but_time(mortals, tmp_path):
    with connect(mortals.address) as workers:
        workers.client.wait_for_workers(2, timeout=60)
        mark = str(tmp_path / "mark")
        with Tasks(workers, kill_worker, [1, 2, 3], arguments=lambda number: (number, mark)) as tasks:
            assert sorted(tasks) == [(1, 1), (2, 2), (3, 3)]
        with Tasks(workers, kill_worker, [4], arguments=lambda number: (number, None), tries=1) as tasks:
            with pytest.raises(ClusterError, match="^4 failed once: its workers died$"):
                list(tasks)


def test_tasks_can_be_ordered_and_dropped_from_outside(machines, workers, fake, tmp_path):
    program = workers.bring(fake(LONG))
    told = []
    with Tasks(
        workers, play, arguments=lambda number: (number, program, str(tmp_path)), is_tried_again=False,
        tell=lambda job, reason: told.append((job, reason)),
    ) as tasks:
        assert tasks.next(timeout=0.05) is None
        for number in (1, 2, 3):
            tasks.submit(number, priority=-number)
        [first, second] = wait_until(lambda: len(found := started(tmp_path)) == 2 and found)
        tasks.post("hello")
        assert tasks.next(timeout=10) == Posted("hello")
        pid = int((tmp_path / "1.pid").read_text())
        tasks.drop(lambda job: job == 1)
        assert_gone(pid)
        # The next one takes its place; it is told of when it fails.
        third = wait_until(lambda: [found for found in started(tmp_path) if found not in (first, second)])[0]
        os.kill(third, signal.SIGTERM)
        assert tasks.next(timeout=2) is None
        assert told == [(3, "`fake` ended with status 15")]
    # The end of the tasks ends the programs, and no worker.
    assert_gone(first + second - pid)
    assert len(workers.client.scheduler_info(n_workers=-1)["workers"]) == 2


# What ends.


def test_programs_end_with_their_worker(mortals, fake, tmp_path):
    with connect(mortals.address) as workers:
        workers.client.wait_for_workers(2, timeout=60)
        program = workers.bring(fake(LONG))
        with Tasks(workers, play, arguments=lambda number: (number, program, str(tmp_path))) as tasks:
            tasks.submit(1)
            [pid] = wait_until(lambda: started(tmp_path))
            guard = parent_of(pid)
            os.kill(parent_of(guard), signal.SIGKILL)
            assert_gone(pid, 15)
            assert_gone(guard, 15)
            # Another worker has begun it anew.
            wait_until(lambda: started(tmp_path) not in ([], [pid]))


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


CLIENT = """
import sys
from test_cluster import LONG, play
from tanada import cluster
with cluster.connect(sys.argv[1]) as workers:
    program = workers.bring(sys.argv[2])
    with cluster.Tasks(workers, play, [1], arguments=lambda number: (number, program, sys.argv[3])) as tasks:
        list(tasks)
"""


def test_a_killed_client_leaves_nothing_behind(machines, fake, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(word for word in sys.path if word)}
    command = [sys.executable, "-c", CLIENT, machines.address, fake(LONG), str(tmp_path)]
    client = subprocess.Popen(command, env=environment)
    try:
        [pid] = wait_until(lambda: started(tmp_path), 60)
        assert machines.files()
    finally:
        client.kill()
        client.wait()
    assert_gone(pid, 30)
    wait_until(lambda: not machines.files())


def test_a_lost_scheduler_ends_a_run_with_one_sentence(mortals, fake, tmp_path):
    with connect(mortals.address) as workers:
        program = workers.bring(fake(LONG))
        with Tasks(workers, play, [1], arguments=lambda number: (number, program, str(tmp_path))) as tasks:
            begin = time.monotonic()
            with pytest.raises(ClusterError, match="^the connection to the scheduler is lost$"):
                list(kill_once_started(tasks, mortals, tmp_path))
            assert time.monotonic() - begin < 60
        [pid] = started(tmp_path)
    assert_gone(pid, 60)


def kill_once_started(tasks, machines, place):
    def kill():
        wait_until(lambda: started(place), 60)
        machines.process.kill()

    threading.Thread(target=kill, daemon=True).start()
    yield from tasks


def test_a_scheduler_that_is_not_there_is_one_sentence():
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        with pytest.raises(ClusterError, match="^cannot use the scheduler `tcp://127.0.0.1:1`: "):
            with connect("tcp://127.0.0.1:1"):
                pass


def test_workers_of_this_machine_end_with_the_connection(tmp_path, fake):
    program = fake('echo "$1" >&2')
    with connect(workers=2) as workers:
        file = workers.bring(program)
        with Tasks(workers, play, range(4), arguments=lambda number: (number, file, f"game {number}")) as tasks:
            found = dict(tasks)
        pids = workers.client.run(os.getpid).values()
    assert {number: said for number, (said, _) in found.items()} == {n: [f"game {n}"] for n in range(4)}
    for pid in pids:
        assert_gone(pid)


def test_the_package_needs_no_dask():
    code = """
import sys
sys.modules.update(dict.fromkeys(("dask", "distributed", "cloudpickle")))
import tanada, tanada.cluster
try:
    with tanada.cluster.connect(): pass
except tanada.ClusterError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(word for word in sys.path if word)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.endswith(": pip install tanada[cluster]\n"), done


def test_a_program_can_run_here_too(fake):
    with own_folder("tanada-test-") as folder:
        ended = run_program(folder, [fake("echo one >&2; echo two >&2; exit 3")])
        assert (ended.status, ended.said, ended.sentence("fake")) == (3, ["one", "two"], "two")
        assert ended.cpu >= 0
    assert not Path(folder).exists()


# Logs.


def test_a_torn_line_is_not_seen_and_goes(tmp_path):
    log = Log(tmp_path / "log", lock=tmp_path / "lock")
    assert log.read() == []
    log.append(['{"game": 1}', '{"game": 2}'])
    with open(log.path, "a") as file:
        file.write('{"game": 3, "mov' + "e" * 100_000)
    assert log.read() == ['{"game": 1}', '{"game": 2}']
    log.append([])
    assert log.path.read_text() == '{"game": 1}\n{"game": 2}\n'
    log.append(['{"game": 3}'])
    assert [json.loads(line)["game"] for line in log.read()] == [1, 2, 3]
    log.keep(5)
    log.keep(1)
    assert log.path.read_text() == '{"game": 1}\n'


def test_a_log_of_nothing_but_a_torn_line(tmp_path):
    path = tmp_path / "log"
    path.write_text("x" * 200_000)
    Log(path).append(["one"])
    assert path.read_text() == "one\n"


def test_a_log_waits_for_its_lock(tmp_path):
    log = Log(tmp_path / "log", lock=tmp_path / "lock", patience=0.3)
    with hold(tmp_path / "lock"):
        begin = time.monotonic()
        with pytest.raises(ClusterError, match=f"^`{tmp_path}` is in use by another runner$"):
            log.append(["one"])
        assert time.monotonic() - begin >= 0.3
    log.append(["one"])
    assert log.read() == ["one"]
    # The lock is that of other programs.
    with open(tmp_path / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(ClusterError, match="in use"):
            log.append(["two"])
    with pytest.raises(ClusterError, match="^cannot write `/nowhere/lock`: No such file"):
        Log(tmp_path / "log", lock="/nowhere/lock").append(["two"])
