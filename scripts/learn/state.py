"""The state of a run in its folder: what is settled (state.json), and a journal of finished tasks."""

import contextlib
import json
from pathlib import Path

from errors import Damaged, Refused
from files import replace
from plan import flat
from shapes import fault, is_task

from tanada.cluster import ClusterError, Log, hold


@contextlib.contextmanager
def locked(folder):
    """Holds the folder's lock."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"cannot use `{folder}`: {error.strerror}") from None
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(hold(folder / "lock"))
        except ClusterError as error:
            raise Refused(str(error)) from None
        yield


class State:
    """What a run has settled. `rounds` holds a table for each round begun."""

    def __init__(self, folder, content):
        self.folder, self.content = folder, content

    @classmethod
    def read(cls, folder):
        """The state of a folder, or None if it has none."""
        path = folder / "state.json"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Refused(f"cannot read `{path}`: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise Damaged(f"`{path}` is damaged: {error}") from None
        if not isinstance(content, dict) or content.get("format") != "tanada learn" or content.get("version") != 1:
            raise Refused(f"`{path}` is not the state of a run of this program")
        if found := fault(content):
            raise Damaged(f"`{path}` is damaged: `{found}` is missing or wrong")
        return cls(folder, content)

    @classmethod
    def begin(cls, folder, settings):
        """Continues a run with the same settings, or begins one in an empty folder."""
        state = cls.read(folder)
        if state is None:
            if foreign := [path.name for path in folder.iterdir() if path.name not in ("lock", "state.json.part")]:
                raise Refused(f"`{folder}` has files of another origin, such as `{foreign[0]}`; use an empty folder")
            state = cls(folder, {"format": "tanada learn", "version": 1, "settings": settings, "rounds": []})
            state.save()
        elif lines := differences(state.content["settings"], settings):
            raise Refused(
                f"`{folder}` was started with other settings; repeat them, or use another folder\n" + "\n".join(lines)
            )
        elif state.content["settings"] != settings:
            # An older run is bound to the added ones from now on.
            state.content["settings"] = settings
            state.save()
        return state

    @property
    def rounds(self):
        return self.content["rounds"]

    @property
    def ranges(self):
        """The finished records of ranges of sizes after the newest round, by name."""
        return {
            name: record
            for name, record in self.content.get("ranges", {}).items()
            if "gate" in record and record["round"] == len(self.rounds)
        }

    @property
    def settings(self):
        return self.content["settings"]

    def save(self):
        replace(self.folder / "state.json", (json.dumps(self.content, indent=1) + "\n").encode())


# Settings that there are no more, of which only the default worked, and those that a run may have begun without.
RETIRED = ("plan.fit.channels",)
ADDED = ("plan.ranges.passes", "plan.ranges.rate")


def differences(old, new):
    """A line for each setting that differs."""
    old, new = dict(flat(old)), dict(flat(new))
    for name in RETIRED:
        old.pop(name, None)
    for name in ADDED:
        old.setdefault(name, new.get(name))
    return [
        f"  {name}: `{old.get(name)}` then, `{new.get(name)}` now"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def parsed(line):
    """The value of a line of JSON, or None."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class Journal:
    """Finished tasks, a JSON line each, in the order in which they finished."""

    def __init__(self, folder):
        # Whoever writes it holds the folder's lock.
        self.log = Log(folder / "journal.jsonl")
        lines = [parsed(line) for line in self.log.read()]
        damaged = [number for number, line in enumerate(lines) if not is_task(line)]
        if damaged:
            # A machine that lost its power leaves a damaged end, whose tasks are done again.
            if any(map(is_task, lines[damaged[0] :])):
                raise Damaged(f"line {damaged[0] + 1} of `{self.log.path}` is damaged")
            self.log.keep(damaged[0])
        self.lines = lines[: damaged[0]] if damaged else lines

    def add(self, record):
        self.log.append([json.dumps(record)])
        self.lines.append(record)

    def of(self, part, round):
        """The finished tasks of a part of a round, by name; the last one counts."""
        return {line["task"]: line for line in self.lines if line["part"] == part and line["round"] == round}
