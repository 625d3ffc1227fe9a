"""Runs programs on many machines with Dask. Needs the extra ``cluster``, and Unix.

`connect` reaches a scheduler by its address, or starts workers on this machine. `Cluster.bring` brings a program or
another file to all workers, each machine once, checked by its hash before each use. `Tasks` calls a function there for
each job, and tries again what fails; its `TaskContext` runs programs that end with their worker. `Log` keeps results.

Files are stored beside the workers' own folders (``dask worker --local-directory``), under their hash. They are deleted
with the last worker of the machine that uses them, or the last connection. What killed workers leave goes
when the next file is brought.

`Tasks` counts the deaths of workers, and gives up at the fifth. A scheduler that was started elsewhere tries a task
again before it reports a death, 3 times unless ``distributed.scheduler.allowed-failures`` in its own configuration is 0.
"""

import sys

if sys.platform == "win32":
    raise ImportError("`tanada.cluster` needs Unix: it locks files and ends groups of processes")

from ..errors import ClusterError
from .connection import TRIES, Cluster, connect
from .files import File
from .log import Log, hold
from .programs import Finished, guard, own_folder, run_program
from .tasks import Posted, Tasks

__all__ = [
    "TRIES", "Cluster", "ClusterError", "File", "Finished", "Log", "Posted", "Tasks", "connect", "guard", "hold",
    "own_folder", "run_program",
]
