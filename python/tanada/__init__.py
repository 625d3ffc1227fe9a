"""Plays and studies Tanbo, Mark Steere's game of roots, and Taratibu, Glenn Overby II's game of ten pieces.

`tanada.abstract_play` writes records of that server, `tanada.samples` reads training samples (it needs NumPy),
`tanada.environment` is an environment of PettingZoo, and `tanada.cluster` runs programs on many machines with Dask;
import them by name.
"""

from .analysis import Analysis, Query, Result
from .engine import Engine, Parameters
from .errors import (
    ClusterError, CommandError, EngineDied, EngineTimeout, GameOver, IllegalMove, QueryError, StartError, TanadaError,
)
from .position import Position
from .program import Parameter, Value, parameters
from .program import find as find_program
from .search import MoveInfo, Search

__all__ = [
    "Analysis", "ClusterError", "CommandError", "Engine", "EngineDied", "EngineTimeout", "GameOver", "IllegalMove", "MoveInfo", "Parameter", "Parameters",
    "Position", "Query", "QueryError", "Result", "Search", "StartError", "TanadaError", "Value", "find_program", "parameters",
]
