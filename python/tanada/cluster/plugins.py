"""What runs on the scheduler and on the workers. Importing it needs Dask.

This module travels there as code, so it uses nothing of this package but `files` and `programs`, which travel too.
"""

import asyncio
import contextlib
import logging
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import cloudpickle  # type: ignore[import-untyped]
from distributed import Scheduler, Worker, get_worker
from distributed.diagnostics.plugin import SchedulerPlugin, WorkerPlugin
from distributed.utils import sync

from .files import File, Lease, digest_of, is_whole, write
from .programs import Finished, guard, own_folder, wait_for


class Depot(SchedulerPlugin):
    """Keeps the files of a connection at the scheduler, and clears up after its client, even one that was killed."""

    def __init__(self, name: str, client: str) -> None:
        self.name, self.client = name, client
        self.contents: dict[str, bytes] = {}
        #: Bytes sent to workers.
        self.sent = 0
        # What plain pickle refuses is sent as code.
        self.as_code = lambda: None

    async def start(self, scheduler: Scheduler) -> None:
        """Lets the client put files here, and workers get them."""
        scheduler.handlers[f"{self.name}_put"] = self.put
        scheduler.handlers[f"{self.name}_get"] = self.get
        scheduler.handlers[f"{self.name}_count"] = self.count

    async def put(self, digest: str, content: bytes) -> None:
        """Keeps a file."""
        self.contents[digest] = content

    async def get(self, digest: str) -> bytes:
        """The content of a file."""
        content = self.contents[digest]
        self.sent += len(content)
        return content

    async def count(self) -> int:
        """Bytes sent to workers so far."""
        return self.sent

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """Called for any client that goes."""
        if client == self.client:
            for handler in ("put", "get", "count"):
                scheduler.handlers.pop(f"{self.name}_{handler}", None)
            self.contents.clear()
            if not scheduler._ongoing_background_tasks.closed:
                scheduler._ongoing_background_tasks.call_soon(self.clear, scheduler)

    async def clear(self, scheduler: Scheduler) -> None:
        """Removes both plugins."""
        with contextlib.suppress(ValueError):
            scheduler.remove_plugin(self.name)
        with contextlib.suppress(ValueError):
            await scheduler.unregister_worker_plugin(None, self.name)


class Station(WorkerPlugin):
    """The files and programs of a connection on one worker."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.as_code = lambda: None

    async def setup(self, worker: Worker) -> None:
        """Called when the connection begins, and on each worker that joins later."""
        self.worker = worker
        # Beside the worker's own folder, where the other workers of this machine have theirs.
        self.folder = Path(worker.local_directory).parent / "tanada"
        self.leases: dict[str, Lease] = {}
        self.placing = asyncio.Lock()
        self.guards: dict[subprocess.Popen[bytes], str] = {}
        self.dropped: set[str] = set()
        self.guarding = threading.Lock()

    async def teardown(self, worker: Worker) -> None:
        """Ends the programs and gives the files back, when the worker ends or the connection does."""
        with self.guarding:
            for process in self.guards:
                end(process)
        for lease in self.leases.values():
            lease.end()

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Called when a task changes its state: ends the programs of one that was dropped."""
        if str(key).startswith(self.name) and start in ("executing", "long-running") and finish == "released":
            with self.guarding:
                self.dropped.add(key)
                for process, owner in self.guards.items():
                    if owner == key:
                        end(process)

    def call(self, payload: bytes) -> Any:
        """Does a task."""
        key = str(get_worker().get_current_task())
        try:
            function, arguments = cloudpickle.loads(payload)
            return function(TaskContext(self, key), *arguments)
        except (SystemExit, KeyboardInterrupt) as end:
            # Dask would wait for ever for this task.
            raise RuntimeError(f"the task raised {end!r}") from None
        finally:
            self.dropped.discard(key)

    def path(self, file: File) -> str:
        """The checked copy of a file, which is fetched if this machine has none or it was altered."""
        path = self.folder / file.digest / file.name
        if file.digest not in self.leases or not is_whole(path, file):
            sync(self.worker.loop, self.place, path, file)
        return os.fspath(path)

    async def place(self, path: Path, file: File) -> None:
        """Puts a file where all workers of this machine find it."""
        try:
            async with self.placing:
                lease = self.leases.get(file.digest)
                if lease is None:
                    lease = self.leases[file.digest] = await asyncio.to_thread(Lease, path.parent)
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                async with lease.writing():
                    if await asyncio.to_thread(is_whole, path, file):
                        return
                    if path.exists():
                        logging.getLogger("distributed.worker").warning("`%s` was altered, and is replaced", path)
                    content = await getattr(self.worker.scheduler, f"{self.name}_get")(digest=file.digest)
                    if digest_of(content) != file.digest:
                        raise RuntimeError(f"`{file.name}` came to {self.worker.address} with another content")
                    await asyncio.to_thread(write, path, content, file)
        except OSError as error:
            reason = error.strerror or error
            raise RuntimeError(f"cannot bring `{file.name}` to {self.worker.address}: {reason}") from None


class TaskContext:
    """What a task finds on its worker; the first argument of its function."""

    def __init__(self, station: Station, key: str) -> None:
        self._station, self._key = station, key

    def path(self, file: File) -> str:
        """The path of a file that was brought, checked by its hash."""
        return self._station.path(file)

    @contextlib.contextmanager
    def folder(self, prefix: str = "tanada-task-") -> Iterator[str]:
        """An empty folder that is deleted at the end."""
        with own_folder(prefix) as folder:
            yield folder

    def run(
        self, folder: "str | os.PathLike[str]", command: Sequence[object], nice: int = 0,
        stdout: "int | IO[Any]" = subprocess.DEVNULL,
    ) -> Finished:
        """Runs a program that ends with its worker, or when its task is dropped. Files that were brought may stand in
        the command."""
        station = self._station
        words = [station.path(word) if isinstance(word, File) else word for word in command]
        with guard(folder, words, nice, stdout=stdout, stderr=subprocess.PIPE) as process:
            with station.guarding:
                station.guards[process] = self._key
                if self._key in station.dropped:
                    # It was dropped a moment ago.
                    end(process)
            try:
                return wait_for(process, folder)
            finally:
                with station.guarding:
                    del station.guards[process]


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a guard with its program."""
    assert process.stdin is not None
    process.stdin.close()


def call_on_worker(name: str) -> Any:
    """The function that Dask calls on a worker; it is sent as code."""

    def call(payload: bytes) -> Any:
        station: Any = get_worker().plugins[name]
        return station.call(payload)

    return call
