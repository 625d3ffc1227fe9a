#!/usr/bin/env python3
"""Measures how much the first move is worth, and which first moves are fair; writes tables in Markdown and a plot in SVG.

    scripts/lab/first_move.py [--boards "7d 11d 15d 19d 9 13 19"] [--pairs 200] [--iterations 400]
                              [--search-iterations 20000] [--fair-pairs 50] [--seed 1] [--concurrency 1] [--out DIR]

Needs Python 3.11 and no packages. On each board

  1. equal engines play a match from the start position, without an opening: the share that the first player wins;
  2. every first move, one for each class of symmetric ones, is searched: its value for the first player;
  3. the moves with a value next to 50 % are played: a match from each. If no value is from 45 to 55 %, openings of three
     moves are searched and played instead, because one move cannot make the game fair. An opening is even if the 95 %
     interval of its match includes 50 %.

A board is a size, followed by `d` for the dense setup or `c` for corners. DIR gets the records, first-move.md and
first-move.svg. The same command resumes a run that was stopped; it refuses if this tree has changed since. With its
defaults the script takes about a day of one core, most of it on 19x19.

TANADA_BIN names a program to use instead of building this tree. Exit status: 0 finished, 1 something failed, 2 wrong
arguments.
"""

import argparse
import json
import math
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from common import ROOT, Parser, common, environment

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
FAIR = (0.45, 0.55)
# Openings that are played on each board.
MOST = 5
# Sizes whose setup is `classic` if none is named.
CLASSIC = (9, 13, 19, 21)


def run(*words, text=None):
    """What a program prints; if it fails, this script fails."""
    done = subprocess.run(
        list(map(str, words)), input=text, env=environment(), stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(1)
    return done.stdout


def wilson(wins, games):
    """The 95 % interval of a share."""
    z, share = 1.959964, wins / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, middle + half


def point(name, side):
    """The column from the left and the row from the top, from 0."""
    return COLUMNS.index(name[0]), side - int(name[1:])


def name(column, row, side):
    return f"{COLUMNS[column]}{side - row}"


class Board:
    """A board with its start position and the first moves, one for each class of symmetric ones."""

    def __init__(self, word, program):
        self.word, self.program = word, program
        self.flags = common("board_flags", word).split()
        answers = run(program, "gtp", *self.flags, text="gogui-rules_legal_moves\nshowboard\n")
        self.moves = answers.splitlines()[0].removeprefix("= ").split()
        # Each row of the board has its number on both sides.
        self.rows = [row.split()[1:-1] for row in answers.splitlines() if re.fullmatch(r" ?\d+( [XO.])+ \d+ *", row)]
        self.side = len(self.rows)
        self.classes = self.classify()

    def classify(self):
        """Maps each move that stands for its class to all moves of it."""
        last = self.side - 1
        ways = [
            lambda c, r: (c, r), lambda c, r: (last - c, r), lambda c, r: (c, last - r), lambda c, r: (last - c, last - r),
            lambda c, r: (r, c), lambda c, r: (last - r, c), lambda c, r: (r, last - c), lambda c, r: (last - r, last - c),
        ]

        def keeps(way):
            cells = [(c, r) for r in range(self.side) for c in range(self.side)]
            return all(self.rows[r][c] == self.rows[way(c, r)[1]][way(c, r)[0]] for c, r in cells)

        ways = [way for way in ways if keeps(way)]
        classes, seen = {}, set()
        for move in self.moves:
            if move not in seen:
                images = {name(*way(*point(move, self.side)), self.side) for way in ways}
                classes[move] = sorted(images)
                seen |= images
        return classes

    @property
    def title(self):
        default = " `classic`" if self.side in CLASSIC else ""
        return f"{self.side}x{self.side}" + {"d": " `dense`", "c": " `corners`"}.get(self.word[-1], default)


def match(board, folder, opening, pairs, own):
    """How many of the games from an opening the first player wins, and how many games there are."""
    flags = ["--plies", "0"]
    if opening:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "opening.txt").write_text(" ".join(opening) + "\n")
        flags = ["--openings", folder / "opening.txt"]
    records = folder / "records"
    resume = ["--resume"] if (records / "match.json").exists() else []
    run(board.program, "match", *board.flags, *flags, *resume, "--pairs", pairs, "--iterations", own.iterations,
        "--seed", own.seed, "--concurrency", own.concurrency, "--rating-interval", 0, "--records", records,
        "--engine", "name=one", "--engine", "name=other")
    games = [json.loads(line) for line in (records / "games.jsonl").read_text().splitlines()]
    odd = [game["ending"] for game in games if game["ending"] != "Normal"]
    if odd:
        sys.exit(f"first_move.py: a game ended by `{odd[0]}`, so the engines are not equal: see `{records}`")
    report = json.loads((records / "report.json").read_text())
    first = Counter(game["moves"][0]["vertex"] for game in games)
    return {
        "wins": sum(game["winner"] == "black" for game in games), "games": len(games), "first": first.most_common(),
        "distinct": report["distinct"], "plies": report["plies"],
    }


def value(board, moves, own):
    """The first player's winning chance after some moves, by a search."""
    text = run(board.program, "genmove", *board.flags, "--moves", " ".join(moves), "--iterations",
               own.search_iterations, "--threads", 1, "--seed", own.seed, "--json")
    answer = json.loads(text)
    return answer["value"] if answer["to_move"] == "black" else 1 - answer["value"]


def values(board, folder, own):
    """The value of each first move; those found by an earlier run are kept."""
    kept = folder / f"values-{own.search_iterations}.json"
    found = json.loads(kept.read_text()) if kept.exists() else {}
    for move in board.classes:
        if move not in found:
            found[move] = value(board, [move], own)
            kept.write_text(json.dumps(found))
    return found


def longer(board, folder, own):
    """Openings of three moves with a value next to 50 %."""
    path = folder / "three.txt"
    if not path.exists():
        run(board.program, "openings", *board.flags, "--plies", 3, "--low", FAIR[0], "--high", FAIR[1], "--count", MOST,
            "--engine", f"iterations={own.search_iterations}", "--seed", own.seed, "--out", path)
    lines = [line.split("#") for line in path.read_text().splitlines() if not line.startswith("#")]
    return {tuple(moves.split()): float(chance) for moves, chance in lines}


def measure(board, folder, own):
    folder.mkdir(parents=True, exist_ok=True)
    found = {"start": match(board, folder, None, own.pairs, own), "values": values(board, folder, own)}
    by_distance = sorted(found["values"].items(), key=lambda item: abs(item[1] - 0.5))
    fair = {(move,): chance for move, chance in by_distance if FAIR[0] <= chance <= FAIR[1]}
    openings = dict(list(fair.items())[:MOST]) or longer(board, folder, own)
    found["fair"] = [
        {"moves": moves, "value": chance, **match(board, folder / "-".join(moves), moves, own.fair_pairs, own)}
        for moves, chance in openings.items()
    ]
    return found


def percent(share):
    return f"{100 * share:.1f}"


def interval(score):
    low, high = wilson(score["wins"], score["games"])
    return f"{percent(low)} to {percent(high)}"


def tables(boards, found):
    parts = ["| board | the first player won | % | 95 % | first moves played | different games | moves in a game |\n"
             "|---|---|---|---|---|---|---|"]
    for board in boards:
        start = found[board.word]["start"]
        played = ", ".join(f"`{move}` {count}" for move, count in start["first"][:2])
        others = sum(count for _, count in start["first"][2:])
        played += f", {others} others" if others else ""
        parts.append(f"| {board.title} | {start['wins']} of {start['games']} | {percent(start['wins'] / start['games'])} | "
                     f"{interval(start)} | {played} | {start['distinct']} | {start['plies']:.0f} |")
    parts.append("\n| board | first moves | classes | from 45 to 55 % | value of each class, % |\n|---|---|---|---|---|")
    for board in boards:
        ranked = sorted(found[board.word]["values"].items(), key=lambda item: -item[1])
        near = sum(FAIR[0] <= chance <= FAIR[1] for _, chance in ranked)
        each = ", ".join(f"`{move}` {percent(chance)}" for move, chance in ranked)
        parts.append(f"| {board.title} | {len(board.moves)} | {len(ranked)} | {near} | {each} |")
    parts.append("\n| board | opening | value, % | the first player won | 95 % | even |\n|---|---|---|---|---|---|")
    for board in boards:
        fair = sorted(found[board.word]["fair"], key=lambda opening: abs(opening["wins"] / opening["games"] - 0.5))
        for opening in fair:
            low, high = wilson(opening["wins"], opening["games"])
            parts.append(f"| {board.title} | `{' '.join(opening['moves'])}` | {percent(opening['value'])} | "
                         f"{opening['wins']} of {opening['games']} | {interval(opening)} | "
                         f"{'yes' if low <= 0.5 <= high else 'no'} |")
    return "\n".join(parts) + "\n"


def colour(chance):
    """Blue where the second player is ahead, white at 50 %, orange where the first is."""
    ends = (0, 114, 178) if chance < 0.5 else (213, 94, 0)
    weight = min(1, abs(chance - 0.5) * 2) ** 0.8
    return "#" + "".join(f"{round(255 + (end - 255) * weight):02x}" for end in ends)


def draw_board(board, found, x, y, width):
    """A board with its stones and the value of each first move, in per cent where there is room."""
    cell = width / board.side
    parts = [f'<rect x="{x}" y="{y}" width="{width}" height="{width}" fill="#f4f4f4" stroke="#999"/>']
    for move, images in board.classes.items():
        chance = found["values"][move]
        for image in images:
            column, row = point(image, board.side)
            left, top = x + cell * column, y + cell * row
            parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{cell:.1f}" height="{cell:.1f}" '
                         f'fill="{colour(chance)}" stroke="#ccc" stroke-width="0.5"/>')
            if cell >= 20:
                parts.append(f'<text x="{left + cell / 2:.1f}" y="{top + cell / 2 + 4:.1f}" text-anchor="middle">'
                             f"{100 * chance:.0f}</text>")
    for row, stones in enumerate(board.rows):
        for column, stone in enumerate(stones):
            if stone != ".":
                fill = "#000" if stone == "X" else "#fff"
                parts.append(f'<circle cx="{x + cell * (column + 0.5):.1f}" cy="{y + cell * (row + 0.5):.1f}" '
                             f'r="{cell * 0.36:.1f}" fill="{fill}" stroke="#000" stroke-width="0.7"/>')
    return parts


def plot(boards, found):
    """The share of the first player on each board with its 95 % interval, and each board with its first moves."""
    left, top, width, row, across = 130, 40, 560, 26, 3
    bottom = top + row * len(boards)
    size, gap = 300, 46
    lines = -(-len(boards) // across)
    top_of_boards = bottom + 90
    total = (across * (size + 20) + 20, top_of_boards + lines * (size + gap))
    x = lambda share: left + width * share  # noqa: E731
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total[0]}" height="{total[1]}" font-family="sans-serif" '
        'font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{left}" y="24" font-size="14">Games that the first player wins</text>',
    ]
    for tenth in range(0, 11, 1):
        line = "#888" if tenth == 5 else "#ddd"
        parts.append(f'<path d="M{x(tenth / 10):.1f} {top}V{bottom}" stroke="{line}"/>')
        parts.append(f'<text x="{x(tenth / 10):.1f}" y="{bottom + 16}" text-anchor="middle">{tenth * 10} %</text>')
    for number, board in enumerate(boards):
        start, middle = found[board.word]["start"], top + row * (number + 0.5)
        low, high = wilson(start["wins"], start["games"])
        parts.append(f'<text x="{left - 12}" y="{middle + 4}" text-anchor="end">{board.title.replace("`", "")}</text>')
        parts.append(f'<path d="M{x(low):.1f} {middle}H{x(high):.1f}" stroke="#0072b2" stroke-width="2"/>')
        parts.append(f'<circle cx="{x(start["wins"] / start["games"]):.1f}" cy="{middle}" r="4" fill="#0072b2"/>')
    parts.append(f'<text x="20" y="{bottom + 54}" font-size="14">The first player\'s chance after each first move, %</text>')
    for number, board in enumerate(boards):
        at = (20 + (number % across) * (size + 20), top_of_boards + (number // across) * (size + gap))
        parts.append(f'<text x="{at[0]}" y="{at[1] - 6}">{board.title.replace("`", "")}</text>')
        parts += draw_board(board, found[board.word], *at, size)
    return "\n".join([*parts, "</svg>"]) + "\n"


def arguments():
    parser = Parser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        usage="%(prog)s [options]",
    )
    parser.add_argument("--boards", default="7d 11d 15d 19d 9 13 19", help="boards [7d 11d 15d 19d 9 13 19]")
    parser.add_argument("--pairs", metavar="N", default="200", help="pairs of games from each start position [200]")
    parser.add_argument("--iterations", metavar="N", default="400", help="iterations per move of a game [400]")
    parser.add_argument("--search-iterations", metavar="N", default="20000", help="iterations of each search [20000]")
    parser.add_argument("--fair-pairs", metavar="N", default="50", help="pairs of games from each fair opening [50]")
    parser.add_argument("--seed", metavar="N", default="1", help="seed of games and searches [1]")
    parser.add_argument("--concurrency", metavar="N", default="1", help="games played at the same time [1]")
    parser.add_argument("--out", metavar="DIR", default=str(ROOT / "target/first-move"), help="folder of the results [target/first-move]")
    own = parser.parse_args()
    for option in ("pairs", "iterations", "search_iterations", "fair_pairs", "seed", "concurrency"):
        text, least = getattr(own, option), 0 if option == "seed" else 1
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < least:
            shown = option.replace("_", "-")
            parser.error(f"invalid value `{text}` for `--{shown}`: expected a whole number, {least} or more")
    boards = own.boards.split()
    if not boards or len(set(boards)) < len(boards) or not all(re.fullmatch(r"[0-9]{1,2}[dc]?", b) for b in boards):
        parser.error(f"invalid value `{own.boards}` for `--boards`: expected different boards such as 9, 7d or 13c")
    own.boards = boards
    return own


def main():
    own = arguments()
    out = Path(own.out).resolve()
    (out / "bin").mkdir(parents=True, exist_ok=True)
    settings = " ".join([own.iterations, own.search_iterations, own.seed])
    for board in own.boards:
        common("board_flags", board)
    now = f"tree: {common('tree_origin')}, {settings}"
    common("same_origins", out, now)
    program = out / "bin/tanada-now"
    if not program.exists():
        common("keep", ROOT / common("this_build"), program)
    (out / "bin/built-from.txt").write_text(now + "\n")
    boards, found = [], {}
    for word in own.boards:
        board = Board(word, program)
        found[word] = measure(board, out / word, own)
        boards.append(board)
        text = tables(boards, found)
        (out / "first-move.md").write_text(text)
        (out / "first-move.svg").write_text(plot(boards, found))
    print(text, end="")


if __name__ == "__main__":
    main()
