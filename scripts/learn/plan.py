"""The plan of a run: what is played, fitted and compared in each round. A TOML file overrides single settings."""

import json
import math
import re
import tomllib
from pathlib import Path

from errors import Refused

NAME, DEFAULT, LEAST, MOST, MEANING = range(5)
CHANNELS = 16  # of a network that plays
PARTS = ("play", "fit", "gate")  # of a round
# The sizes of small, middle and large boards, for which the program has a network each.
RANGES = {"small": (4, 9), "middle": (10, 14), "large": (15, 21)}

# Takes about three hours of two cores (AMD Zen 5). `of` gives a section of it.
TABLE = [
    ("rounds", 16, 1, 9999, "rounds of play, fit and gate"),
    ("play.positions_first", 400_000, 1, 10**10, "positions played in the first round"),
    ("play.positions_last", 250_000, 1, 10**10, "positions played in the last round"),
    ("play.iterations_first", 100, 1, 10**9, "iterations of a full search in the first round"),
    ("play.iterations_last", 1500, 1, 10**9, "iterations of a full search in the last round"),
    ("play.quick", 0.25, 0.001, 1, "iterations of a quick search, as a share of a full one"),
    ("play.full_share", 0.25, 0.01, 1, "share of the moves that are searched fully"),
    ("play.batch_seconds", 60, 0.001, 10**5, "estimated seconds of a batch of games on one core"),
    ("fit.blocks", 3, 0, 32, "residual blocks of the network"),
    ("fit.passes", 6, 0.001, 1000, "samples seen in a fit for each new position"),
    ("fit.batch", 256, 1, 10**6, "samples of a step"),
    ("fit.rate_first", 2e-3, 1e-9, 1, "peak learning rate of the first round"),
    ("fit.rate_last", 6e-4, 1e-9, 1, "peak learning rate of the last round"),
    ("fit.rounded_from", 0.5, 0, 1, "share of the steps before quantisation-aware training begins"),
    ("fit.quick_weight", 0.3, 0, 1, "how often quickly searched positions are drawn, compared with others"),
    ("fit.window", 400_000, 1, 10**10, "positions of the window before it begins to lag behind"),
    ("fit.window_power", 0.75, 0.01, 1, "exponent of the window's growth"),
    ("fit.window_slope", 0.4, 0.01, 1, "slope of the window's growth at its beginning"),
    ("value.result", 0.5, 0, 1, "share of the result in the value target"),
    ("value.search", 0.25, 0, 1, "share of the search's value; the rest is the short-term value"),
    ("losses.value", 1, 0, 100, "winning chance"),
    ("losses.policy", 1, 0, 100, "visits of the moves"),
    ("losses.soft_policy", 0.15, 0, 100, "visits to the power 1/4"),
    ("losses.reply", 0.05, 0, 100, "the opponent's reply"),
    ("losses.first", 0.05, 0, 100, "who moves at each point first"),
    ("losses.holder", 0.05, 0, 100, "who holds each point at the end"),
    ("losses.survival", 0.02, 0, 100, "whether each stone survives"),
    ("losses.plies", 0.02, 0, 100, "plies left"),
    ("losses.error", 0.1, 0, 100, "squared error of the value"),
    ("ranges.passes", 8, 0, 1000, "samples seen in the fit for small, middle or large boards, for each position of the "
     "window on them; 0 makes no such fits"),
    ("ranges.rate", 1e-3, 1e-9, 1, "peak learning rate of these fits"),
    ("gate.iterations", 300, 1, 10**9, "iterations per move of the matches"),
    ("gate.share", 0.5, 0.001, 1000, "factor for the pairs of every board"),
    ("gate.least_elo", 0, -1000, 1000, "a network is accepted if its Elo over all boards is above this"),
    ("gate.least_bound", -5, -1000, 1000, "and the lower 68 % bound of it above this"),
    ("gate.worst_board", -50, -1000, 1000, "unless a board is worse than this with 95 % confidence over all boards"),
    ("gate.batch_pairs", 4, 1, 10**6, "pairs of a task"),
    ("teacher.weight", 0, 0, 1, "share of the teacher in the targets; 0 trains no teacher"),
    ("teacher.channels", 64, 1, 1024, "channels of the teacher"),
    ("teacher.blocks", 6, 0, 32, "residual blocks of the teacher"),
    ("teacher.passes", 1, 0.001, 1000, "samples that the teacher sees for each new position"),
    ("teacher.rate", 1e-3, 1e-9, 1, "learning rate of the teacher"),
]

# Boards that people play. `length` (positions of a game after its opening) and `rate` (iterations per second of one
# core, AMD Zen 4) turn shares into games and games into time. `plies` is the highest number of random plies of an
# opening, `drawn` the number of plies drawn by visits after it. Lengths and rates are those of the games of
# `sixth_step.toml`; the last four are from later games, with rates scaled to the same machine. `setup` is a name or a
# position in one line; in `unequal` White has one root fewer than Black and moves first.
SETUPS = ("classic", "dense", "corners")
FIELDS = {
    "size": (4, 21), "setup": SETUPS, "share": (0, 1), "length": (1, 10**5),
    "rate": (1, 10**9), "plies": (0, 1000), "drawn": (0, 1000), "pairs": (0, 10**6),
}
BOARDS = {
    #               size setup      share length   rate plies drawn pairs
    "9x9-classic": (9, "classic", 0.25, 53, 62_000, 14, 12, 60),
    "7x7-dense": (7, "dense", 0.12, 62, 83_000, 10, 8, 60),
    "13x13-classic": (13, "classic", 0.18, 159, 23_000, 24, 20, 40),
    "11x11-dense": (11, "dense", 0.12, 166, 30_000, 24, 20, 40),
    "19x19-classic": (19, "classic", 0.12, 295, 10_600, 40, 40, 20),
    "15x15-dense": (15, "dense", 0.06, 331, 15_400, 30, 30, 12),
    "19x19-dense": (19, "dense", 0.05, 586, 9_500, 40, 40, 8),
    "6x6-corners": (6, "corners", 0.05, 28, 208_000, 8, 8, 40),
    "21x21-classic": (21, "classic", 0.05, 438, 8_100, 40, 40, 8),
    "7x7-unequal": (7, "7 w X1O1X1O/7/O1X3X/7/X1O1X1O/7/O1X1O1X", 0.03, 62, 83_000, 6, 8, 8),
    "13x13-unequal": (
        13, "13 w 3X4O3X/13/13/13/X2O4X3O/13/13/13/O2X4O3X/13/13/13/X2O4X3O", 0.03, 159, 23_000, 16, 20, 8,
    ),
    "8x8-corners": (8, "corners", 0.05, 49, 66_000, 10, 10, 40),
    "10x10-corners": (10, "corners", 0.05, 71, 44_000, 14, 14, 40),
    "12x12-corners": (12, "corners", 0.03, 101, 28_000, 20, 18, 20),
    "16x16-corners": (16, "corners", 0.04, 182, 17_000, 24, 24, 12),
}
# Points of samples per second and core in a fit of 16 channels and 3 blocks, both cores busy (AMD Zen 5).
FIT_RATE = 730_000


def short(value):
    """The text of a value, as long as a message can quote it."""
    try:
        text = str(value)
    except ValueError:
        return "a number of more than 4,300 digits"
    return text if len(text) <= 100 else text[:100] + "…"


def default():
    """The plan without a file: a flat table of settings, and one of boards."""
    boards = {name: dict(zip(FIELDS, values)) for name, values in BOARDS.items()}
    return {"settings": {row[NAME]: row[DEFAULT] for row in TABLE}, "boards": boards}


def read(path):
    """The default plan with what a TOML file changes."""
    try:
        return changed(default(), path) if path is not None else default()
    except RecursionError:
        raise Refused(f"`{path}` is nested too deeply for a plan") from None


def changed(plan, path):
    """The plan with what a TOML file changes."""
    try:
        given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"cannot read `{path}`: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(f"`{path}` is not a TOML file: {short(error)}") from None
    except ValueError:
        raise Refused(f"`{path}` has a number of too many digits") from None
    boards = given.pop("boards", {})
    has_defaults = given.pop("default_boards", True)
    ranges = {row[NAME]: (row[LEAST], row[MOST], type(row[DEFAULT])) for row in TABLE}
    for name, value in flat(given):
        if name not in ranges:
            raise Refused(f"`{path}`: unknown setting `{short(name)}`, expected one of: {', '.join(ranges)}")
        least, most, kind = ranges[name]
        # A default of 0 or 1 may be a share, so whole numbers are required only where the least value is 1 or more.
        whole = kind is int and (least >= 1 or name.endswith(".blocks"))
        plan["settings"][name] = number(path, name, value, least, most, whole)
    if not isinstance(boards, dict):
        raise Refused(f"`{path}`: `boards` must be a table of boards")
    if not isinstance(has_defaults, bool):
        value = short(has_defaults)
        raise Refused(f"`{path}`: invalid value `{value}` for `default_boards`: expected `true` or `false`")
    if not has_defaults:
        plan["boards"] = {name: fields for name, fields in plan["boards"].items() if name in boards}
    for name, fields in boards.items():
        board(path, plan["boards"], name, fields)
    plan["boards"] = {name: fields for name, fields in plan["boards"].items() if fields["share"] > 0}
    if not plan["boards"]:
        raise Refused(f"`{path}`: no board has a share; give one a share above 0")
    settings = plan["settings"]
    if settings["value.result"] + settings["value.search"] > 1:
        raise Refused(f"`{path}`: `value.result` and `value.search` together are above 1")
    return plan


def toml(plan):
    """The plan as a file that `read` accepts, with the meaning of each setting."""
    lines, section = ["default_boards = false  # only the boards below"], ""
    for name, _, least, most, meaning in TABLE:
        value = plan["settings"][name]
        head, _, short = name.rpartition(".")
        if head != section:
            lines += ["", f"[{head}]"]
            section = head
        lines.append(f"{short} = {value!r}  # {meaning}, {least} to {most}")
    for name, fields in plan["boards"].items():
        values = [f"{field} = {json.dumps(value)}" for field, value in fields.items()]
        lines += ["", f"[boards.{name}]", *values]
    return "\n".join(lines) + "\n"


def flat(table, prefix=""):
    """The settings of nested tables, with dots in their names."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def number(path, name, value, least, most, whole):
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        kind = "a whole number" if whole else "a number"
        raise Refused(f"`{path}`: invalid value `{short(value)}` for `{name}`: expected {kind} from {least} to {most}")
    return value


def board(path, boards, name, fields):
    """Changes a board of the plan, or adds one."""
    if not isinstance(fields, dict) or not name.replace("-", "").isalnum():
        raise Refused(f"`{path}`: `boards.{short(name)}` must be a table whose name has letters, digits and hyphens")
    for field in fields:
        if field not in FIELDS:
            known = ", ".join(FIELDS)
            raise Refused(f"`{path}`: unknown setting `{short(field)}` of `boards.{name}`, expected one of: {known}")
    whole = {**boards.get(name, {}), **fields}
    for field, limits in FIELDS.items():
        if field not in whole:
            raise Refused(f"`{path}`: `boards.{name}` lacks `{field}`; a new board needs: {', '.join(FIELDS)}")
        if field == "setup":
            if not is_setup(whole[field], whole["size"]):
                raise Refused(
                    f"`{path}`: invalid value `{short(whole[field])}` for `boards.{name}.setup`: expected one of: "
                    f"{', '.join(limits)}, or a position of {whole['size']} rows in one line, such as `4 b X2O/4/4/O2X`"
                )
        else:
            is_whole = field in ("size", "plies", "drawn", "pairs")
            number(path, f"boards.{name}.{field}", whole[field], *limits, is_whole)
    boards[name] = whole


def is_setup(setup, size):
    """Whether a setup is a name, or a position in one line with as many rows and points as the size says."""
    if setup in SETUPS:
        return True
    found = re.fullmatch(r"([1-9][0-9]?) [bw] ([0-9XO/]{1,500})", setup) if isinstance(setup, str) else None
    if found is None or int(found[1]) != size or not {"X", "O"} <= set(found[2]):
        return False
    points = [re.findall(r"[0-9]+|[XO]", row) for row in found[2].split("/")]
    if any(part.startswith("0") for row in points for part in row):
        return False
    return [sum(int(part) if part.isdigit() else 1 for part in row) for row in points] == [size] * size


def check_network(plan, path, content):
    """Refuses a network to start from whose shape is not that of the plan's. A wrong line further down is found by the
    program when it plays."""
    words = (line.split("#")[0].split() for line in content.decode("utf-8", "replace").splitlines())
    found = " ".join(next(filter(None, words), []))
    wanted = f"network {CHANNELS} channels {plan['settings']['fit.blocks']} blocks"
    if found != wanted:
        raise Refused(f"`{path}` begins with `{found[:60]}`: expected `{wanted}`, as the plan's `fit.blocks` says")


def of(plan, section):
    """The settings of a section, without its name."""
    prefix = section + "."
    return {name[len(prefix) :]: value for name, value in plan["settings"].items() if name.startswith(prefix)}


def passed(plan, round):
    """How much of the plan lies before a round, 0 to 1; after its last round 1."""
    return min(1, (round - 1) / max(1, plan["settings"]["rounds"] - 1))


def geometric(first, last, share):
    return first * (last / first) ** share


def searches(plan, round):
    """The iterations of full and of quick searches in a round."""
    play = of(plan, "play")
    full = max(1, round_off(geometric(play["iterations_first"], play["iterations_last"], passed(plan, round))))
    return full, max(1, int(full * play["quick"] + 0.5))


def round_off(number):
    """Two digits are enough."""
    scale = 10 ** max(0, int(math.log10(number)) - 1)
    return int(number / scale + 0.5) * scale


def positions(plan, round):
    """The positions that a round is to play."""
    play = of(plan, "play")
    return play["positions_first"] + (play["positions_last"] - play["positions_first"]) * passed(plan, round)


def games(plan, round):
    """The games of each board in a round."""
    wanted = positions(plan, round)
    total = sum(board["share"] for board in plan["boards"].values())
    return {
        name: max(1, int(wanted * board["share"] / total / board["length"] + 0.5))
        for name, board in plan["boards"].items()
    }


def seconds_of_game(plan, round, board):
    """The estimated seconds of a game on one core."""
    full, quick = searches(plan, round)
    share = plan["settings"]["play.full_share"]
    return board["length"] * (share * full + (1 - share) * quick) / board["rate"]


def batches(plan, round):
    """The batches of games of a round: board, first game, number of games. Long ones come first, so that no worker
    is alone with one at the end."""
    wanted = plan["settings"]["play.batch_seconds"]
    found = []
    for name, total in games(plan, round).items():
        cost = seconds_of_game(plan, round, plan["boards"][name])
        size = max(1, min(total, int(wanted / cost)))
        for first in range(1, total + 1, size):
            count = min(size, total + 1 - first)
            found.append((count * cost, name, first, count))
    found.sort(key=lambda batch: (-batch[0], batch[1], batch[2]))
    return [{"board": name, "first": first, "games": count, "estimate": cost} for cost, name, first, count in found]


def window(plan, total):
    """The positions of the window when `total` have been played: all at first, then a shrinking share. The formula is
    KataGo's (Wu, "Accelerating self-play learning in Go", 2019)."""
    fit = of(plan, "fit")
    first, power, slope = fit["window"], fit["window_power"], fit["window_slope"]
    if total <= first:
        return total
    return min(total, first * (1 + slope * ((total / first) ** power - 1) / power))


def window_rounds(plan, positions):
    """The newest rounds whose positions fill the window; `positions` are those of all rounds so far."""
    wanted, rounds = window(plan, sum(positions)), []
    for round in range(len(positions), 0, -1):
        rounds.append(round)
        wanted -= positions[round - 1]
        if wanted <= 0:
            break
    return rounds[::-1]


def steps(plan, new, passes):
    """The steps of a fit for a number of new positions."""
    return max(1, int(new * passes / plan["settings"]["fit.batch"] + 0.5))


def ranges(plan):
    """The boards of each range of sizes that gets a network of its own; none where there is only one range."""
    found = {}
    for name, (least, most) in RANGES.items():
        boards = [board for board, fields in plan["boards"].items() if least <= fields["size"] <= most]
        # No network is accepted without games, unless all are.
        if has_pairs(plan, boards) or boards and not has_pairs(plan, plan["boards"]):
            found[name] = boards
    return found if len(found) > 1 and plan["settings"]["ranges.passes"] > 0 else {}


def range_fits(plan):
    """The estimated time of all fits for ranges of sizes, in fits of the last round."""
    if not ranges(plan):
        return 0
    last, settings = plan["last"], plan["settings"]
    total = sum(positions(plan, round) for round in range(1, last + 1))
    seen = window(plan, total) * settings["ranges.passes"]
    return seen / (positions(plan, last) * settings["fit.passes"])


def has_pairs(plan, boards):
    """Whether a gate on these boards has games."""
    return any(pairs(plan, plan["boards"][name]) for name in boards)


def pairs(plan, board):
    """The pairs of a gate's match on a board."""
    return int(board["pairs"] * plan["settings"]["gate.share"] + 0.5)


def gate_batches(plan, boards):
    """The tasks of a gate on some boards: board, first pair, number of pairs."""
    size = plan["settings"]["gate.batch_pairs"]
    found = []
    for name in boards:
        board = plan["boards"][name]
        cost = 2 * board["length"] * plan["settings"]["gate.iterations"] / board["rate"]
        for first in range(1, pairs(plan, board) + 1, size):
            count = min(size, pairs(plan, board) + 1 - first)
            found.append({"board": name, "first": first, "pairs": count, "estimate": count * cost})
    found.sort(key=lambda batch: (-batch["estimate"], batch["board"], batch["first"]))
    return found


def fit_seconds(plan, round):
    """The estimated core seconds of a round's fit."""
    fit, counts = of(plan, "fit"), games(plan, round)
    points = sum(counts[name] * board["length"] * board["size"] ** 2 for name, board in plan["boards"].items())
    weights = (fit["blocks"] + 0.5) / 3.5
    return points * fit["passes"] * max(weights, 0.1) / FIT_RATE
