"""A connection to a Dask cluster."""

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from ..errors import ClusterError
from . import files, programs
from .files import File

#: A run gives up after this many failures of one task, whether its program failed or its worker died.
TRIES = 5
#: Seconds that the first worker may take to join.
PATIENCE = 60
#: What is said when nobody answers any more.
LOST = "the connection to the scheduler is lost"


@contextlib.contextmanager
def connect(scheduler: str | None = None, workers: int | None = None) -> Iterator["Cluster"]:
    """A connection to the Dask scheduler at an address, or to worker processes on this machine, one for each core
    unless ``workers`` says how many. It waits for the first worker.

    Raises `ClusterError` if the scheduler does not answer, or no worker joins it within 60 seconds.
    """
    if scheduler is not None and workers is not None:
        raise ValueError("pass `scheduler` or `workers`, not both")
    if workers is not None and workers < 1:
        raise ValueError(f"invalid number of workers `{workers}`: expected 1 or more")
    try:
        import cloudpickle  # type: ignore[import-untyped]
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ClusterError(f"there is no package `{error.name}`: install `distributed`") from None
    from . import plugins

    for module in (files, programs, plugins):
        cloudpickle.register_pickle_by_value(module)
    with contextlib.ExitStack() as ends:
        target: Any = scheduler
        if scheduler is None:
            # Dask sets variables for its workers, such as OMP_NUM_THREADS, and leaves them set in this process too.
            # Programs would inherit them.
            with no_interrupt(), dask.config.set({"distributed.nanny.pre-spawn-environ": {}}):
                target = LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=workers or os.cpu_count(), threads_per_worker=1, processes=True,
                    # `Tasks` counts the deaths of workers, so Dask is to report each.
                    dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False, "allowed_failures": 0},
                    silence_logs=logging.CRITICAL,
                )
            ends.callback(target.close)
        try:
            client: Any = ends.enter_context(Client(target))  # type: ignore[no-untyped-call]
            wait_for_worker(client)
            made = Cluster(client, scheduler)
        except Exception as error:
            # Other versions of Python and Dask fail in many ways.
            where = f"the scheduler `{scheduler}`" if scheduler else "Dask"
            raise ClusterError(f"cannot use {where}: {error}") from error
        yield made


def wait_for_worker(client: Any) -> None:
    """Waits for the first worker."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except (TimeoutError, asyncio.TimeoutError):
        raise ClusterError(f"no worker has joined within {PATIENCE} seconds") from None


@contextlib.contextmanager
def no_interrupt() -> Iterator[None]:
    """Processes that are started meanwhile ignore an interrupt from the terminal, because this one ends them in
    order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


class Cluster:
    """The workers of a connection. Made by `connect`."""

    def __init__(self, client: Any, scheduler: str | None) -> None:
        from .plugins import Depot, Station

        #: The client of Dask, for what this class has no name for.
        self.client = client
        #: The address of the scheduler, or ``None`` if the workers end with this connection.
        self.scheduler = scheduler
        #: What the keys of this connection's tasks begin with.
        self.name = f"tanada_{uuid.uuid4().hex}"
        self._numbers = itertools.count()
        self._brought: dict[str, int] = {}
        client.register_plugin(Depot(self.name, client.id), name=self.name)
        client.register_plugin(Station(self.name), name=self.name)

    @property
    def is_connected(self) -> bool:
        """Whether the scheduler answered last time."""
        return bool(self.client.status == "running")

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Turns what Dask raises once its scheduler is gone into one sentence."""
        try:
            yield
        except (OSError, asyncio.TimeoutError, CancelledError):
            raise ClusterError(LOST) from None
        except Exception:
            if self.is_connected:
                raise
            raise ClusterError(LOST) from None

    def new_key(self) -> str:
        """The key of a task. Dask takes one that it knows for the same task, so there is one count for all `Tasks`."""
        return f"{self.name}-{next(self._numbers)}"

    def threads(self) -> int:
        """How many tasks the workers can do at once, at least 1."""
        with self.answering():
            counts: dict[str, int] = self.client.nthreads()
            return max(1, sum(counts.values()))

    def bring(self, path: "str | os.PathLike[str]") -> File:
        """Brings a file to the workers, also to those that join later: it is sent to the scheduler now, and from there
        to each machine when the first task needs it. A file that can be executed here can be executed there.

        Raises `ClusterError` if it cannot be read.
        """
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise ClusterError(f"cannot read `{os.fspath(path)}`: {error.strerror}") from None
        return self.bring_content(Path(path).name.lstrip(".") or "file", content, os.access(path, os.X_OK))

    def bring_content(self, name: str, content: bytes, is_program: bool = False) -> File:
        """Brings a file of this name and content. What was brought before is not sent again."""
        if not name or name.startswith(".") or Path(name).name != name:
            raise ValueError(f"invalid name `{name}`: expected the name of a file, without a dot at its beginning")
        file = File(files.digest_of(content), name, is_program)
        if file.digest not in self._brought:
            with self.answering():
                self._call("put", digest=file.digest, content=content)
            self._brought[file.digest] = len(content)
        return file

    def traffic(self) -> tuple[int, int]:
        """The bytes of files that this connection has sent to the scheduler, and those that the scheduler has sent to
        workers."""
        with self.answering():
            sent: int = self._call("count")
            return sum(self._brought.values()), sent

    def _call(self, handler: str, **arguments: object) -> Any:
        return self.client.sync(getattr(self.client.scheduler, f"{self.name}_{handler}"), **arguments)
