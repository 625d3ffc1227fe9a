"""The shapes of what a run keeps, so that a damaged file is told from a whole one."""

from plan import PARTS, RANGES

NUMBER = (int, float)
COSTS = {"cpu": NUMBER, "wall": NUMBER}
# What a run keeps. `*` stands for every name.
SETTINGS = {"seed": int, "program": str, "plan": dict, "boards": dict}
LOSSES = {"result": NUMBER, "search": NUMBER, "moves": NUMBER}
PLAYED = {"games": int, "positions": int, "full": int, "sha256": str}
ROUND = {
    "play": {"iterations": int, "positions": int, "boards": {"*": PLAYED}, **COSTS},
    "fit": {"network": str, "sha256": str, "steps": int, "losses": {"*": LOSSES}, **COSTS},
    "gate": {"accepted": bool, "elo": NUMBER, "low": NUMBER, "high": NUMBER, "worse": dict, **COSTS},
}
TASK = {"round": int, "task": str, "spent": NUMBER, **COSTS}
MATCH = {**TASK, "pentanomial": list}
TASKS = {"play": {**TASK, **PLAYED}, "gate": MATCH, **dict.fromkeys(RANGES, MATCH)}


def odd(value, shape, name):
    """The name of a value within this one that is missing or of another type than the shape says, or None."""
    if not isinstance(shape, dict):
        return None if isinstance(value, shape) else name
    if not isinstance(value, dict):
        return name
    fields = {each: shape["*"] for each in value} if "*" in shape else shape
    return first(odd(value.get(field), each, f"{name}.{field}") for field, each in fields.items())


def first(names):
    return next(filter(None, names), None)


def fault(content):
    """The name of a value of a state that is missing or wrong, or None."""
    rounds = content.get("rounds")
    if not isinstance(rounds, list):
        return "rounds"
    found = [odd(content.get("settings"), SETTINGS, "settings"), odd(content.get("from", ""), str, "from")]
    for number, record in enumerate(rounds, 1):
        name = f"rounds[{number - 1}]"
        if not isinstance(record, dict) or record.get("round") != number:
            return f"{name}.round"
        found.append(fault_of_player(record, content, number - 1, name))
        # The last round may be unfinished.
        found += faults_of_parts(record, PARTS, number < len(rounds), name)
        if "play" in record and not any(found):
            missing = content["settings"]["boards"].keys() - record["play"]["boards"].keys()
            found += [f"{name}.play.boards.{board}" for board in sorted(missing)]
    ranges = content.get("ranges", {})
    found.append(odd(ranges, {"*": {"round": int}}, "ranges"))
    if found[-1] is None:
        found += [f"ranges.{name}" for name in ranges if name not in RANGES]
        found += [fault_of_range(record, content, f"ranges.{name}") for name, record in ranges.items()]
    return first(found)


def fault_of_player(record, content, before, name):
    """The name of a record's player if it is none that the first `before` rounds can have left, or None."""
    known = [f"networks/{number:03}.txt" for number in range(1, before + 1)]
    return None if record.get("player") in [None, content.get("from"), *known] else f"{name}.player"


def fault_of_range(record, content, name):
    """The name of a value of a range's record that is missing or wrong, or None."""
    number, rounds = record["round"], content["rounds"]
    if not 1 <= number <= len(rounds) or "gate" not in rounds[number - 1]:
        return f"{name}.round"
    # It may be unfinished.
    return first([fault_of_player(record, content, number, name), *faults_of_parts(record, PARTS[1:], False, name)])


def faults_of_parts(record, parts, is_whole, name):
    """The names of values of parts that are missing or wrong. Without a part those after it are missing too."""
    return [
        odd(record.get(part), ROUND[part], f"{name}.{part}")
        for place, part in enumerate(parts)
        if is_whole or not set(parts[place:]).isdisjoint(record)
    ]


def is_task(record):
    """Whether a line of the journal is whole."""
    part = record.get("part") if isinstance(record, dict) else None
    if not isinstance(part, str) or part not in TASKS or odd(record, TASKS[part], part):
        return False
    counts = record.get("pentanomial", [0] * 5)
    return len(counts) == 5 and all(type(count) is int and count >= 0 for count in counts)
