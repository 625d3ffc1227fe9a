"""Finds the program, and what it says about its parameters."""

import functools
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .errors import StartError

#: The name of the program.
NAME = "tanada.exe" if sys.platform == "win32" else "tanada"
#: The variable that names another program.
VARIABLE = "TANADA_BIN"
#: Seconds that the program may take to print its tables.
TIMEOUT = 60

#: What a parameter can be set to.
Value = int | float | bool | str | None


def find() -> str:
    """The path of the program: the one that ``TANADA_BIN`` names, the one that was installed with this
    package, or the first one on the ``PATH``.

    Raises `StartError` if there is none.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return named
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    for folder in folders:
        program = Path(folder, NAME)
        if program.is_file():
            return str(program)
    found = shutil.which(NAME)
    if found is None:
        raise StartError(f"there is no program `{NAME}`: install the package `tanada`, or set {VARIABLE} to its path")
    return found


def environment() -> dict[str, str]:
    """The environment of the program: this one with the user's settings switched off."""
    return {**os.environ, "TANADA_CONFIG": ""}


def output(program: str, *arguments: str) -> str:
    """What the program prints, if it succeeds.

    Raises `StartError` with the program's own sentence.
    """
    try:
        done = subprocess.run(
            [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False,
            env=environment(),
        )
    except OSError as error:
        raise StartError(f"cannot run `{program}`: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise StartError(f"`{program}` did not answer within {TIMEOUT} seconds") from None
    if done.returncode != 0:
        raise StartError(sentence(done.stderr, f"`{program}` ended with status {done.returncode}"))
    return done.stdout.decode()


def sentence(said: bytes, otherwise: str) -> str:
    """What a program says of its failure on standard error: its last line, without its name, or a panic."""
    lines = said.decode(errors="replace").strip().splitlines()
    for number, line in enumerate(lines):
        if "panicked at" in line:
            return " ".join(lines[number : number + 2])
    return lines[-1].removeprefix("tanada: ") if lines else otherwise


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the engine, as ``tanada params`` lists it."""

    name: str
    #: ``"integer"``, ``"real"``, ``"boolean"`` or ``"choice"``.
    type: str
    meaning: str
    default: Value
    minimum: int | float | None = None
    maximum: int | float | None = None
    #: The values of a choice.
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> Value:
        """A value that the engine has written."""
        if text == "none":
            return None
        if self.type == "boolean":
            return text == "true"
        if self.type == "integer":
            return int(text)
        return float(text) if self.type == "real" else text


@functools.cache
def parameters(program: str | None = None) -> Mapping[str, Parameter]:
    """All parameters by name, in the order of the program's table.

    >>> parameters()["threads"].maximum
    256
    """
    table: list[dict[str, Any]] = json.loads(output(program or find(), "params", "--json"))
    found = {
        row["name"]: Parameter(
            name=row["name"],
            type=row["type"],
            meaning=row["meaning"],
            default=row.get("default"),
            minimum=row.get("min"),
            maximum=row.get("max"),
            choices=tuple(row.get("choices", ())),
        )
        for row in table
    }
    return MappingProxyType(found)


def arguments(options: Mapping[str, object], parameters: Mapping[str, Value]) -> list[str]:
    """The arguments for options that are not ``None``, and for parameters."""
    named = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    return named + [word for name, value in parameters.items() for word in ("--set", f"{name}={text_of(value)}")]


def text_of(value: Value) -> str:
    """A value as the engine reads it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
