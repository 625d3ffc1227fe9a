"""Programs and files on workers of Dask: processes of this machine, some of which are killed."""

import contextlib
import fcntl
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conftest import assert_gone, is_alive
from machines import LONG, machines, mortals, play, shared_machines, started, wait_until, workers  # noqa: F401
from tanada import ClusterError
from tanada.cluster import Log, Tasks, connect, guard, hold, own_folder, run_program
from tanada.cluster.connection import no_interrupt
from tanada.cluster.files import Lease
from tanada.cluster.programs import wait_for


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


def die(context, number, place):
    """Leaves a file, and kills its worker."""
    Path(place, str(os.getpid())).write_text("")
    os.kill(os.getpid(), signal.SIGKILL)


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


def test_a_folder_that_a_killed_worker_left_goes_with_the_next_file(tmp_path):
    folder = tmp_path / "tanada"
    for name in ("left", "used"):
        (folder / name).mkdir(parents=True)
        (folder / name / ".lease").write_text("")
        (folder / name / "weights").write_text("1 2 3")
    used = Lease(folder / "used")
    # It was left by a worker that was killed while it deleted a folder.
    (folder / ".gone-0123").mkdir()
    lease = Lease(folder / "new")
    assert sorted(path.name for path in folder.iterdir()) == ["new", "used"]
    assert (folder / "used/weights").exists()
    used.end()
    lease.end()
    assert not list(folder.iterdir())


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


# What ends.


def test_programs_end_with_their_worker(mortals, fake, tmp_path):
    with connect(mortals.address) as workers:
        workers.client.wait_for_workers(2, timeout=60)
        program = workers.bring(fake(LONG))
        with Tasks(workers, play, arguments=lambda number: (number, program, str(tmp_path))) as tasks:
            tasks.submit(1)
            [pid] = wait_until(lambda: started(tmp_path))
            parent = parent_of(pid)
            os.kill(parent_of(parent), signal.SIGKILL)
            assert_gone(pid, 15)
            assert_gone(parent, 15)
            # Another worker has begun it anew.
            wait_until(lambda: started(tmp_path) not in ([], [pid]))


def test_children_end_with_their_program(fake, tmp_path):
    # The shell ends at once when it is interrupted, or by itself, and leaves a child that has its standard error.
    child = 'trap "exit 0" INT\nsleep 120 &\necho $! > "$1/1.pid"\n'
    for body, is_dropped in ((child + "wait", True), (child + "exit 3", False)):
        with own_folder("tanada-test-") as folder:
            with no_interrupt():
                process = guard(folder, [fake(body), str(tmp_path)], stderr=subprocess.PIPE)
            ended = queue.Queue()
            threading.Thread(target=lambda: ended.put(wait_for(process, folder)), daemon=True).start()
            [pid] = wait_until(lambda: started(tmp_path))
            if is_dropped:
                process.stdin.close()
            try:
                finished = ended.get(timeout=8)
                assert_gone(pid)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            assert finished.status == (0 if is_dropped else 3)
            assert Path(folder).exists() != is_dropped
        (tmp_path / "1.pid").unlink()


def test_a_program_has_time_to_end_others_when_it_is_interrupted(fake, tmp_path):
    # As a match does with engines, which are in groups of their own.
    body = 'trap "sleep 1; kill \\$engine; exit 0" INT\nsetsid sleep 120 2>/dev/null &\nengine=$!\n'
    body += 'echo $engine > "$1/1.pid"\nwait'
    with own_folder("tanada-test-") as folder:
        process = guard(folder, [fake(body), str(tmp_path)], stderr=subprocess.PIPE)
        [pid] = wait_until(lambda: started(tmp_path))
        process.stdin.close()
        assert wait_for(process, folder).status == 0
        assert_gone(pid)


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


CLIENT = """
import sys
from machines import LONG, play
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


def test_a_scheduler_without_workers_is_one_sentence(monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr("tanada.cluster.connection.PATIENCE", 0.5)
    with LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0") as empty:
        with pytest.raises(ClusterError, match="^cannot use the scheduler `.*`: no worker has joined within 0.5 sec"):
            with connect(empty.scheduler_address):
                pass


def test_fewer_workers_than_one_are_refused():
    for workers in (0, -1):
        with pytest.raises(ValueError, match=f"^invalid number of workers `{workers}`: expected 1 or more$"):
            with connect(workers=workers):
                pass


def test_five_tries_are_five_deaths_on_this_machine(tmp_path):
    import dask
    import distributed  # noqa: F401

    before = dask.config.get("distributed.scheduler.allowed-failures")
    with connect(workers=1) as workers:
        assert dask.config.get("distributed.scheduler.allowed-failures") == before
        told = []
        with Tasks(
            workers, die, [4], arguments=lambda number: (number, str(tmp_path)),
            tell=lambda job, reason: told.append(reason),
        ) as tasks:
            with pytest.raises(ClusterError, match="^4 failed 5 times: its workers died$"):
                list(tasks)
    assert (len(list(tmp_path.iterdir())), told) == (5, ["its workers died"] * 4)


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


VARIABLES = ("MALLOC_TRIM_THRESHOLD_", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def variables_of(cluster, program):
    """What a program on a worker finds of the variables that Dask sets for workers."""
    file = cluster.bring(program)
    with Tasks(cluster, play, [1], arguments=lambda number: (number, file, "")) as tasks:
        [(_, (said, _))] = tasks
    pairs = dict(line.split("=", 1) for line in said if "=" in line)
    return {name: pairs[name] for name in VARIABLES if name in pairs}


def test_programs_on_this_machine_have_the_environment_of_the_caller(fake, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    with connect(workers=1) as local:
        assert variables_of(local, fake("env >&2")) == {"MKL_NUM_THREADS": "3"}
    assert [name for name in VARIABLES if name in os.environ] == ["MKL_NUM_THREADS"]


def test_programs_keep_their_memory_on_other_machines(machines, workers, fake):
    found = variables_of(workers, fake("env >&2"))
    assert found["OMP_NUM_THREADS"] == "1" and "MALLOC_TRIM_THRESHOLD_" not in found
    assert "65536" in workers.client.run(os.getenv, "MALLOC_TRIM_THRESHOLD_").values()


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
    assert done.stdout.endswith(": install `distributed`\n"), done


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
