"""Tasks on workers of Dask: their results, and their failures."""

import functools
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from conftest import assert_gone
from machines import LONG, machines, mortals, play, shared_machines, started, wait_until, workers  # noqa: F401
from tanada import ClusterError
from tanada.cluster import Posted, Tasks, connect


# Functions of tasks.


def refuse(context, number):
    raise RuntimeError(f"{number} is unlucky")


def kill_worker(context, number, mark):
    """Kills its worker the first time, and always if there is no mark."""
    if mark is None or not Path(mark).exists():
        if mark is not None:
            Path(mark).write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def see_context(context, *arguments):
    return arguments


def who(context, number, mark):
    """The number of its worker; another one takes longer than the first."""
    time.sleep(2 if Path(mark).exists() else 0)
    Path(mark).write_text("")
    return os.getpid()


def double(context, number, pause=0.0):
    time.sleep(pause)
    return 2 * number


def triple(context, number):
    return 3 * number


def leave(context, number):
    sys.exit("I leave")


class Spoiled:
    """A result that cannot be read."""

    def __reduce__(self):
        return int, ("no number",)


def spoil(context, number):
    return Spoiled() if number == 1 else number


class Job:
    """Jobs with one name."""

    def __init__(self, number):
        self.number = number

    def __str__(self):
        return "job"


def refuse_job(context, number):
    raise RuntimeError(f"job {number} is unlucky")


# Tests.


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


def test_tasks_of_one_connection_do_not_mix(machines, workers):
    with Tasks(workers, double, range(6)) as some, Tasks(workers, triple, range(6)) as others:
        for _ in range(2):
            some.submit(7)
            others.submit(7)
        assert sorted(some) == [(n, 2 * n) for n in (0, 1, 2, 3, 4, 5, 7, 7)]
        assert sorted(others) == [(n, 3 * n) for n in (0, 1, 2, 3, 4, 5, 7, 7)]
    with Tasks(workers, double, arguments=lambda number: (number, 2.0)) as dropped:
        for number in range(6):
            dropped.submit(number)
        time.sleep(0.5)
    with Tasks(workers, triple, range(6)) as others:
        assert sorted(others) == [(n, 3 * n) for n in range(6)]


def test_a_result_that_is_lost_is_made_again(mortals, tmp_path):
    with connect(mortals.address) as workers:
        workers.client.wait_for_workers(2, timeout=60)
        told = []
        with Tasks(
            workers, who, arguments=lambda number: (number, str(tmp_path / "mark")),
            tell=lambda job, reason: told.append(reason),
        ) as tasks:
            tasks.submit(1)
            [(_, future)] = tasks._running.values()
            wait_until(lambda: future.status == "finished")
            [holders] = workers.client.who_has(future).values()
            [pid] = workers.client.run(os.getpid, workers=list(holders)).values()
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: future.status != "finished")
            job, other = tasks.next(timeout=60)
        assert (job, told) == (1, []) and other != pid


def test_results_that_can_be_fetched_are_not_lost_with_one_that_cannot(machines, workers):
    with Tasks(workers, spoil) as tasks:
        for number in range(4):
            tasks.submit(number)
        wait_until(lambda: all(future.status == "finished" for _, future in tasks._running.values()))
        assert sorted(tasks.finished()) == [(0, 0), (2, 2), (3, 3)]
        with pytest.raises(ValueError, match="no number"):
            tasks.next(timeout=10)


def test_a_task_that_exits_has_failed(machines, workers):
    with Tasks(workers, leave, [3], tries=2) as tasks:
        tasks.submit(3)
        with pytest.raises(ClusterError, match=r"^3 failed 2 times: the task raised SystemExit\('I leave'\)$"):
            assert tasks.next(timeout=20) is not None


def test_failures_of_other_jobs_with_the_same_name_do_not_count(machines, workers):
    told = []
    with Tasks(
        workers, refuse_job, arguments=lambda job: (job.number,), tries=2, is_tried_again=False,
        tell=lambda job, reason: told.append(job.number),
    ) as tasks:
        for number in (1, 2):
            tasks.submit(Job(number))
        assert tasks.next(timeout=2) is None
    assert sorted(told) == [1, 2]
    # Jobs that cannot be hashed are told apart, too, unless the caller says what they have in common.
    jobs = [{"number": 1}, {"number": 1}]
    tasks = Tasks(workers, refuse_job, tries=2, is_tried_again=False)
    for job in jobs:
        tasks.failed(job, "unlucky")
    with pytest.raises(ClusterError, match="failed 2 times: unlucky$"):
        tasks.failed(jobs[0], "unlucky")
    tasks = Tasks(workers, refuse_job, tries=2, is_tried_again=False, identity=lambda job: job["number"])
    tasks.failed(jobs[0], "unlucky")
    with pytest.raises(ClusterError, match="failed 2 times: unlucky$"):
        tasks.failed(jobs[1], "unlucky")


def test_a_task_can_be_a_partial_function(machines, workers):
    import cloudpickle

    with Tasks(workers, functools.partial(double, pause=0.01), [1, 2]) as tasks:
        assert sorted(tasks) == [(1, 2), (2, 4)]
    assert "functools" not in cloudpickle.list_registry_pickle_by_value()


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
