"""Tasks with retries."""

import contextlib
import functools
import inspect
import itertools
import queue
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, TypeVar

from ..errors import ClusterError
from .connection import LOST, TRIES, Cluster

#: Tasks that are submitted for each thread: one that runs and one that waits, so that tasks finish roughly in order.
FOR_EACH_THREAD = 2

J = TypeVar("J")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Posted:
    """What another thread has told `Tasks.post`."""

    message: Any


class Tasks(Generic[J, R]):
    """Calls of a function on workers, one for each job.

    ``function`` is called there with a `TaskContext` and what ``arguments`` returns for the job, by default the job. It
    is sent as code, together with everything else in its module, so workers need neither that module nor this package.
    A failed task is tried again, up to ``tries`` times.

    >>> from tanada import cluster
    >>> def square(context, number):
    ...     return number * number
    >>> with cluster.connect(workers=1) as local, cluster.Tasks(local, square, [1, 2, 3]) as tasks:
    ...     sorted(tasks)
    [(1, 1), (2, 4), (3, 9)]
    """

    def __init__(
        self, cluster: Cluster, function: Callable[..., R], jobs: Iterable[J] = (), *,
        arguments: Callable[[J], Sequence[object]] | None = None, name: Callable[[J], str] = str,
        tell: Callable[[J, str], object] | None = None, is_tried_again: bool = True, tries: int = TRIES,
        identity: Callable[[J], Hashable] | None = None,
    ) -> None:
        """``jobs`` are taken one by one, as threads of the cluster become free. ``name`` names a job in messages, and
        ``tell`` is told of a failure that does not end the run. With ``is_tried_again`` false, whoever is told
        submits the job again. Failures of jobs with the same ``identity``, by default the job itself, count together.
        """
        import cloudpickle  # type: ignore[import-untyped]

        from .plugins import call_on_worker

        called: Any = function
        while isinstance(called, functools.partial):
            called = called.func
        # Other callables are of modules that Python brings along, and what those hold cannot all be sent.
        if (inspect.isfunction(called) or inspect.ismethod(called)) and called.__module__ != "__main__":
            if module := sys.modules.get(called.__module__):
                cloudpickle.register_pickle_by_value(module)
        self.cluster = cluster
        self._function, self._call = function, call_on_worker(cluster.name)
        self._arguments = arguments or (lambda job: (job,))
        self._name, self._tell = name, tell or (lambda job, reason: None)
        self._is_tried_again, self._tries = is_tried_again, tries
        self._jobs = iter(jobs)
        self._running: dict[str, tuple[J, Any]] = {}
        self._identity = identity or identity_of
        # The jobs that failed; an identity by address holds only while the job exists.
        self._failures: dict[Hashable, list[J]] = {}
        self._events: queue.SimpleQueue[str | Posted] = queue.SimpleQueue()

    def __enter__(self) -> "Tasks[J, R]":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[tuple[J, R]]:
        """The jobs with their results, in order of arrival, until there is no job left."""
        while True:
            for job in itertools.islice(self._jobs, self._free()):
                self.submit(job)
            if not self._running:
                return
            arrival = self.next()
            if isinstance(arrival, tuple):
                yield arrival

    def _free(self) -> int:
        return max(0, FOR_EACH_THREAD * self.cluster.threads() - len(self._running))

    def submit(self, job: J, priority: float = 0) -> None:
        """Starts the task of a job; those with a higher priority come first."""
        import cloudpickle

        payload = cloudpickle.dumps((self._function, tuple(self._arguments(job))))
        key = self.cluster.new_key()
        with self.cluster.answering():
            future = self.cluster.client.submit(
                self._call, payload, key=key, priority=priority, pure=False, retries=0
            )
        self._watch(job, future)

    def _watch(self, job: J, future: Any) -> None:
        self._running[future.key] = (job, future)
        future.add_done_callback(lambda future: self._events.put(future.key))

    def post(self, message: object) -> None:
        """Makes `next` return `Posted` with this message. Safe to call from any thread."""
        self._events.put(Posted(message))

    def next(self, timeout: float | None = None) -> "tuple[J, R] | Posted | None":
        """The next job with its result, or the next message; ``None`` if there is none within ``timeout`` seconds.

        Raises `ClusterError` if a task has failed too often, or the scheduler is lost.
        """
        while True:
            try:
                event = self._events.get(timeout=timeout)
            except queue.Empty:
                return None
            if isinstance(event, Posted):
                return event
            job, future = self._running.pop(event, (None, None))
            if future is None:
                continue  # It was dropped.
            status = future.status
            if status not in ("finished", "error", "cancelled"):
                # The worker died with the result, and Dask does the task again.
                self._watch(job, future)  # type: ignore[arg-type]
                continue
            if status == "cancelled":
                raise ClusterError(LOST)
            if status == "finished":
                try:
                    with self.cluster.answering():
                        return job, future.result()  # type: ignore[return-value]
                except Exception:
                    # The result may have been lost a moment ago, and the task have failed when it was done again.
                    if future.status != "error":
                        raise
            with self.cluster.answering():
                reason = reason_of(future.exception())
            self.failed(job, reason)  # type: ignore[arg-type]

    def failed(self, job: J, reason: str) -> None:
        """Counts a failure of a job, also one that the caller sees in its result, and tries it again.

        Raises `ClusterError` if the job has failed too often.
        """
        failures = self._failures.setdefault(self._identity(job), [])
        failures.append(job)
        if len(failures) >= self._tries:
            often = "once" if len(failures) == 1 else f"{len(failures)} times"
            raise ClusterError(f"{self._name(job)} failed {often}: {reason}")
        self._tell(job, reason)
        if self._is_tried_again:
            self.submit(job)

    def finished(self) -> list[tuple[J, R]]:
        """The results that have arrived by now; one that cannot be fetched is left to `next`, which says why."""
        found = []
        for key, (job, future) in list(self._running.items()):
            if future.status == "finished":
                with contextlib.suppress(Exception):
                    found.append((job, future.result()))
                    del self._running[key]
        return found

    def drop(self, is_meant: Callable[[J], bool] = lambda job: True) -> None:
        """Cancels tasks and ends their programs."""
        keys = [key for key, (job, _) in self._running.items() if is_meant(job)]
        futures = [self._running.pop(key)[1] for key in keys]
        if futures and self.cluster.is_connected:
            # Workers end the programs of tasks that are cancelled.
            with self.cluster.answering():
                self.cluster.client.cancel(futures, force=True)

    def close(self) -> None:
        """Drops all tasks that still run."""
        try:
            self.drop()
        except ClusterError:
            pass  # There is nobody who could be told.


def identity_of(job: object) -> Hashable:
    """A job itself, or its address if it cannot be hashed."""
    try:
        hash(job)
    except TypeError:
        return id(job)
    return job


def reason_of(error: BaseException | None) -> str:
    """Why a task failed."""
    if type(error).__name__ == "KilledWorker":
        return "its workers died"
    # Tasks raise these with a sentence.
    return str(error) if isinstance(error, (RuntimeError, OSError)) else f"{type(error).__name__}: {error}"
