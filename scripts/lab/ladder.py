#!/usr/bin/env python3
"""Rates players from random moves up to this tree, and writes a table in Markdown and a plot in SVG.

    scripts/lab/ladder.py [--boards "7d 9 11d 13 19"] [--pairs 20] [--time-per-move 0.1 | --iterations N]
                          [--players "random one-ply uct rave gen0 gen1 ... now"] [--seed 1]
                          [--concurrency 1] [--out DIR]

Needs Python 3.11 and no packages. Plays a round robin on each board; the table shows the ratings that `tanada match`
fits to all its games. The players are

  random    uniformly random moves, except that it plays immediate wins and avoids immediate losses: the linear
            evaluation with all weights 0 and maximum noise, one iteration, no solver
  one-ply   the move with the best linear evaluation, without noise
  uct       `preset=uct`: playouts without RAVE and without the solver
  rave      `preset=playout`: playouts with RAVE, and the solver near the end
  genN      the generations of scripts/lab/generations.txt, built if necessary
  now       this tree

The limit applies to all but the first two. A board is a size, followed by `d` for the dense setup or `c` for corners.
DIR gets the records, ladder.md and ladder.svg. The same command resumes a run that was stopped; it refuses if this
tree has changed since. With its defaults the script takes more than a day of one core; fewer pairs are enough for
players of very different strength. Ratings of players who won or lost every game are compressed, because only the
virtual draws of the fit bound them: look at the scores.

TANADA_BIN names a program to use instead of building this tree, TANADA_GENERATIONS a folder with generations that are
already built. Exit status: 0 finished, 1 something failed, 2 wrong arguments.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from common import ROOT, Parser, common, environment

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]


def no_weights(path):
    """Writes a file of weights that are all 0, with as many columns as the weights of this tree."""
    lines = (ROOT / "src/tanbo/weights/dense.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    zeros = " 0" * (len(rows[0]) - 2)
    path.write_text("".join(f"9 {phase}{zeros}\n" for phase in dict.fromkeys(row[1] for row in rows)))


def engine(name, out):
    """The `--engine` of a player."""
    escaped = str(out / "no-weights.txt").replace(",", "\\,")
    known = {
        "random": f"name=random,preset=linear,weights={escaped},evaluation_noise=0.5,iterations=1,solve_points=0",
        "one-ply": "name=one-ply,preset=linear,evaluation_noise=0,iterations=1,solve_points=0",
        "uct": "name=uct,preset=uct",
        "rave": "name=rave,preset=playout",
        "now": "name=now",
    }
    if name in known:
        return known[name]
    program = str(out / "bin" / f"tanada-{name}").replace(",", "\\,")
    return f"name={name},command='{program}' gtp,threads=1"


def rating_text(rating):
    if rating is None or rating["error"] is None:
        return "not determined"
    return f"{rating['value']:+.0f} ± {rating['error']:.0f}"


def table(reports, players):
    """The table, with one row for each player and two columns for each board."""
    rows = ["| player | " + " | ".join(f"{board}: Elo | score" for board in reports) + " |"]
    rows.append("|---" * (1 + 2 * len(reports)) + "|")
    for name in players:
        cells = [name]
        for report in reports.values():
            found = next(e for e in report["engines"] if e["name"] == name)
            cells += [rating_text(found["rating"]), f"{100 * found['points'] / max(found['games'], 1):.1f} %"]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def plot(reports, players):
    """The plot, with a row for each player and a colour for each board; a point is a rating with its 95 % interval."""
    points = []
    for place, (board, report) in enumerate(reports.items()):
        for found in report["engines"]:
            if found["rating"] and found["rating"]["error"] is not None:
                points.append((found["name"], place, found["rating"]["value"], found["rating"]["error"]))
    low = min((value - error for _, _, value, error in points), default=-100)
    high = max((value + error for _, _, value, error in points), default=100)
    step = next(s for s in (50, 100, 200, 500, 1000, 10**9) if (high - low) / s <= 12)
    low, high = step * (low // step), step * -(-high // step)
    left, top, width, row = 90, 50, 640, 16 + 9 * len(reports)
    bottom = top + row * len(players)
    x = lambda elo: left + width * (elo - low) / (high - low)  # noqa: E731
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{bottom + 45}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number in range(int((high - low) // step) + 1):
        elo = low + number * step
        parts.append(f'<path d="M{x(elo):.1f} {top}V{bottom}" stroke="#ddd"/>')
        parts.append(f'<text x="{x(elo):.1f}" y="{bottom + 16}" text-anchor="middle">{elo:.0f}</text>')
    parts.append(f'<text x="{left + width / 2}" y="{bottom + 36}" text-anchor="middle">Elo, mean 0 on each board</text>')
    for place, board in enumerate(reports):
        at = left + 80 * place
        parts.append(f'<circle cx="{at}" cy="26" r="4" fill="{COLOURS[place % len(COLOURS)]}"/>')
        parts.append(f'<text x="{at + 9}" y="30">{board}</text>')
    for number, name in enumerate(players):
        middle = top + row * (number + 0.5)
        parts.append(f'<path d="M{left} {top + row * number}h{width}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 10}" y="{middle + 4}" text-anchor="end">{name}</text>')
        for _, place, value, error in (p for p in points if p[0] == name):
            y, colour = middle + 9 * (place - (len(reports) - 1) / 2), COLOURS[place % len(COLOURS)]
            parts.append(f'<path d="M{x(value - error):.1f} {y}H{x(value + error):.1f}" stroke="{colour}"/>')
            parts.append(f'<circle cx="{x(value):.1f}" cy="{y}" r="3.5" fill="{colour}"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    parser = Parser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        usage="%(prog)s [options]",
    )
    limits = parser.add_mutually_exclusive_group()
    parser.add_argument("--boards", default="7d 9 11d 13 19", help="boards; each has its own match [7d 9 11d 13 19]")
    parser.add_argument("--pairs", metavar="N", default="20", help="pairs of games between any two players [20]")
    limits.add_argument("--time-per-move", metavar="S", help="seconds per move [0.1]")
    limits.add_argument("--iterations", metavar="N", help="iterations per move, instead of a time")
    parser.add_argument("--players", help="players [all]")
    parser.add_argument("--seed", metavar="N", default="1", help="seed of the matches [1]")
    parser.add_argument("--concurrency", metavar="N", default="1", help="games played at the same time [1]")
    parser.add_argument("--out", metavar="DIR", default=str(ROOT / "target/ladder"), help="folder of the results [target/ladder]")
    own = parser.parse_args()
    generations = common("generation_names").split()
    standard = ["random", "one-ply", "uct", "rave", *generations, "now"]
    if own.players is None:
        own.players = " ".join(standard)
    players, boards = own.players.split(), own.boards.split()
    for name in players:
        if name not in standard:
            parser.error(f"unknown player `{name}`, expected one of: {' '.join(standard)}")
    if len(set(players)) < max(2, len(players)):
        parser.error(f"invalid value `{own.players}` for `--players`: expected two or more different players")
    if not boards or len(set(boards)) < len(boards):
        parser.error(f"invalid value `{own.boards}` for `--boards`: expected different boards")
    if not re.fullmatch(r"[^'\\\n]*", str(Path(own.out).resolve())):
        parser.error(f"invalid value `{own.out}` for `--out`: its path has a quote or a backslash")
    flags = {board: common("board_flags", board).split() for board in boards if re.fullmatch(r"\w+", board)}
    if len(flags) < len(boards):
        parser.error(f"invalid value `{own.boards}` for `--boards`: expected boards such as 9, 7d or 13c")

    for option in ("pairs", "seed", "concurrency", "iterations"):
        if (text := getattr(own, option)) is not None and not re.fullmatch(r"[0-9]{1,9}", text):
            parser.error(f"invalid value `{text}` for `--{option}`: expected a whole number")
    limit = ["--iterations", own.iterations] if own.iterations else ["--time-per-move", own.time_per_move or "0.1"]
    common("limit_flags", " ".join(limit))

    out = Path(own.out).resolve()
    (out / "bin").mkdir(parents=True, exist_ok=True)
    no_weights(out / "no-weights.txt")
    now = f"tree: {common('tree_origin')}"
    common("same_origins", out, now)
    for name in ["now", *(name for name in players if name in generations)]:
        if not (kept := out / "bin" / f"tanada-{name}").exists():
            built = ROOT / common(*(["this_build"] if name == "now" else ["generation", name]))
            common("keep", built, kept)
    (out / "bin/built-from.txt").write_text(now + "\n")
    reports = {}
    for board in boards:
        folder = out / board
        resume = ["--resume"] if (folder / "match.json").exists() else []
        command = [out / "bin/tanada-now", "match", *flags[board], *limit, "--pairs", own.pairs, "--seed", own.seed]
        command += ["--concurrency", own.concurrency, "--rating-interval", "0", "--records", folder, *resume]
        command += [part for name in players for part in ("--engine", engine(name, out))]
        done = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)
        reports[board] = json.loads((folder / "report.json").read_text())
        text = table(reports, players)
        (out / "ladder.md").write_text(text)
        (out / "ladder.svg").write_text(plot(reports, players))
    print(text, end="")


if __name__ == "__main__":
    main()
