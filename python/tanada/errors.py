"""What can go wrong. Each message is the engine's own sentence where there is one."""


class TanadaError(Exception):
    """The base of all errors of this package."""


class CommandError(TanadaError):
    """The engine refused a command; its state is unchanged."""

    def __init__(self, sentence: str, command: str) -> None:
        super().__init__(sentence)
        #: The command, as it was sent.
        self.command = command


class IllegalMove(CommandError):
    """A move that the rules do not allow."""

    def __init__(self, move: str, command: str) -> None:
        super().__init__(f"illegal move `{move}`", command)
        #: The move.
        self.move = move


class GameOver(TanadaError):
    """There is no move to find, because the game is over."""


class QueryError(TanadaError):
    """The engine refused a query of an analysis."""

    def __init__(self, sentence: str, field: "str | None" = None) -> None:
        super().__init__(sentence)
        #: The field of the query that is wrong, if the engine names one.
        self.field = field


class StartError(TanadaError):
    """The program cannot be found, or refuses its arguments."""


class EngineDied(TanadaError):
    """The program ended before it answered, or was closed."""


class EngineTimeout(EngineDied):
    """The program did not answer in time, and was killed."""


class ClusterError(TanadaError):
    """What runs on a cluster cannot go on; what is finished is kept."""
