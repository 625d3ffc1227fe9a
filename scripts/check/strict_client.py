#!/usr/bin/env python3
"""A strict GTP client that sends random commands, valid and invalid, and checks every byte of the answers.

    python3 scripts/check/strict_client.py [--seed N] [--lines N] [--tanada PROGRAM]

Needs Python 3.10. The client implements GTP 2 itself: one answer for each command, in order, `=ID text` or
`?ID message`, with an empty line only at its end. It takes Tanbo's rules from scripts/check/strict_model.py. It sends lines one by one
and in batches, with and without ids, with CRLF, tabs, comments and control characters, on boards from 5x5 to 9x9.
Exit status: 0 every answer is right, 1 an answer is wrong; the client then shows it after the lines before it.
"""

import argparse
import math
import os
import queue
import random
import re
import subprocess
import sys
import threading
import time
import unicodedata
from pathlib import Path

sys.dont_write_bytecode = True  # the modules are in the source tree

from strict_lines import COMMANDS, LAST_ID, SIZES, Chooser
from strict_model import COLOURS, Board, Game, name

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from tanada.program import environment  # noqa: E402

PATIENCE = 60  # seconds for one answer
UNKNOWN, SYNTAX, ILLEGAL = "? unknown command", "? syntax error", "? illegal move"
# The commands of GTP 2, which fixes the texts of their errors.
STANDARD = """protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove undo
time_settings time_left final_score final_status_list loadsgf reg_genmove showboard""".split()
REQUIRED = """protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove undo
gg-undo showboard final_score time_settings time_left loadsgf reg_genmove cputime gogui-setup gogui-play_sequence""".split()


class Wrong(Exception):
    """A wrong answer."""


def read_line(line):
    """Parses a line by the rules of GTP 2 into id, name and words; None if the line is empty."""
    text = line.decode("utf-8", "replace")
    text = "".join(c for c in text if c == "\t" or unicodedata.category(c) != "Cc")
    words = [word for word in re.split("[ \t]+", text.split("#")[0]) if word]
    if not words:
        return None
    number = None
    if re.fullmatch("[0-9]+", words[0]) and int(words[0]) <= LAST_ID:
        number = int(words.pop(0))
    return number, words[0] if words else "", words[1:]


def is_float(word):
    form = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
    return re.fullmatch(form, word, re.ASCII) is not None and math.isfinite(float(word))


def is_count(word):
    return is_float(word) and float(word) == int(float(word)) and 0 <= float(word) < 2**32


def colour_of(word):
    return next((c for c, full in COLOURS.items() if word.lower() in (c, full)), None)


def points_of(text, word, board):
    """The points of the graphics line that begins with this word."""
    lines = [line.split(" ")[1:] for line in text.split("\n") if line.split(" ")[0] == word]
    points = [board.vertex(vertex) for line in lines for vertex in line]
    if len(lines) > 1 or None in points or len(set(points)) < len(points):
        raise Wrong(f"expected one line `{word}` with points")
    return set(points)


def sentence(text):
    """Expects an error in one line, in any words."""
    if not text.startswith("? ") or len(text) < 10 or "\n" in text:
        raise Wrong("expected an error in one line")


def listed(names):
    """Expects a list of these points, in any order."""

    def check(text):
        found = text[2:].split(" ") if text[2:] else []
        if text[:2] != "= " or sorted(found) != sorted(names):
            raise Wrong(f"expected `= ` and {sorted(names)}")

    return check


def like(pattern):
    """Expects an answer that matches the pattern."""

    def check(text):
        if re.fullmatch(pattern, text, re.ASCII) is None:
            raise Wrong(f"expected a match of {pattern!r}")

    return check


def lines_like(pattern):
    """Expects an answer with lines that match the pattern."""

    def check(text):
        if text[:2] != "= " or not all(re.fullmatch(pattern, line, re.ASCII) for line in text[2:].split("\n")):
            raise Wrong(f"expected lines that match {pattern!r}")

    return check


class Expectation(Game):
    """The expected answers: each is a text, or a function that checks one."""

    def copy(self):
        other = Expectation(self.configured)
        other.board, other.history, other.echo = self.board.copy(), list(self.history), self.echo
        return other

    def answer(self, command, words):
        if command in FIXED:
            return FIXED[command]
        method = getattr(self, "do_" + command.replace("-", "_"), None)
        return method(words) if method and command in COMMANDS else UNKNOWN

    def colour(self, words):
        return colour_of(words[0]) if words else None

    def do_known_command(self, words):
        known = words and (words[0] in COMMANDS or words[0] in REQUIRED)
        return "= true" if known else "= false"

    def do_komi(self, words):
        return "= " if words and is_float(words[0]) else SYNTAX

    def do_boardsize(self, words):
        if not words or not all(re.fullmatch(r"[+-]?\d+", word, re.ASCII) for word in words[:2]):
            return SYNTAX
        # Some clients send columns and rows.
        if len({int(word) for word in words[:2]}) > 1 or int(words[0]) not in SIZES:
            return "? unacceptable size"
        self.configured = int(words[0])
        return self.do_clear_board(words)

    def do_clear_board(self, _):
        fresh = Game(self.configured)
        self.begin(fresh.board)
        return "= "

    def move(self, word):
        return word.lower() if word.lower() in ("pass", "null") else self.board.vertex(word)

    def do_play(self, words):
        if len(words) == 1 and words[0].lower() == "null":
            self.note(None)
            return "= "
        colour = self.colour(words)
        move = self.move(words[1]) if len(words) > 1 else None
        if colour is None or move is None:
            return SYNTAX
        return "= " if self.play(colour, move) else ILLEGAL

    def do_gogui_play_sequence(self, words):
        moves = [(colour_of(c), self.move(v)) for c, v in zip(words[::2], words[1::2])]
        if len(words) % 2 or any(None in pair for pair in moves):
            return SYNTAX
        for number, (colour, move) in enumerate(moves):
            if not self.play(colour, move):
                self.undo(number)
                return ILLEGAL
        return "= "

    def thinks(self, words, plays):
        colour = self.colour(words)
        if colour is None:
            return SYNTAX
        winner = self.board.winner()
        if winner == colour:
            if plays:
                self.note(None)
            return "= pass"
        if winner:
            return "= resign"
        if colour != self.board.to_move:
            return "? wrong color to move"

        def check(text):
            move = self.board.vertex(text[2:])
            if text[:2] != "= " or text != text.upper() or move not in self.board.legal(colour):
                raise Wrong("expected a legal vertex in capitals")
            if plays:
                self.play(colour, move)

        return check

    def do_genmove(self, words):
        return self.thinks(words, True)

    def do_reg_genmove(self, words):
        return self.thinks(words, False)

    def do_undo(self, _):
        return "= " if self.undo(1) else "? cannot undo"

    def do_gg_undo(self, words):
        if words and (not re.fullmatch(r"\d+", words[0], re.ASCII) or int(words[0]) >= 2**32):
            return SYNTAX
        return "= " if self.undo(int(words[0]) if words else 1) else "? cannot undo"

    def do_tanada_leave(self, words):
        colour = self.colour(words)
        if colour is None:
            return SYNTAX
        return "= " if self.leave(colour) else sentence

    def do_showboard(self, _):
        return "= " + self.board.show()

    def do_gogui_rules_board(self, _):
        return "= " + "\n".join(self.board.rows())

    def do_gogui_rules_board_size(self, _):
        return f"= {self.board.size}"

    def do_gogui_rules_side_to_move(self, _):
        return "= " + COLOURS[self.board.winner() or self.board.to_move]

    def do_gogui_rules_legal_moves(self, _):
        return listed([name(p) for p in self.board.legal(self.board.to_move)])

    def do_tanada_legal_points(self, words):
        colour = self.colour(words)
        return listed([name(p) for p in self.board.legal(colour)]) if colour else SYNTAX

    def do_gogui_rules_final_result(self, _):
        winner = self.board.winner()
        return f"= {COLOURS[winner].capitalize()} wins" if winner else "= "

    def do_final_score(self, _):
        winner = self.board.winner()
        return f"= {winner.upper()}+" if winner else "? cannot score"

    def do_gogui_rules_captured_count(self, _):
        lost = self.board.lost
        return "= " + " ".join(str(sum(lost.values()) - lost[c]) for c in "bw")

    def do_final_status_list(self, words):
        if not words or words[0] not in ("alive", "dead", "seki"):
            return SYNTAX
        roots = [" ".join(sorted(map(name, root))) for root in self.board.roots()] if words[0] == "alive" else []

        def check(text):
            found = [" ".join(sorted(line.split(" "))) for line in text[2:].split("\n") if line]
            if text[:2] != "= " or sorted(found) != sorted(roots):
                raise Wrong(f"expected the roots {roots}")

        return check

    def do_gogui_setup(self, words):
        pairs = list(zip(words[::2], words[1::2]))
        board = Board(self.board.size, {})
        for colour, vertex in pairs:
            colour, point = colour_of(colour), board.vertex(vertex)
            if colour is None or point is None or point in board.stones:
                return sentence
            board.stones[point] = colour
        if len(words) % 2:
            return SYNTAX
        if not board.can_start():
            return sentence
        self.begin(board)
        return "= "

    do_set_position = do_gogui_setup

    def do_gogui_setup_player(self, words):
        colour = self.colour(words)
        if colour is None:
            return SYNTAX
        board = Board(self.board.size, self.board.stones, colour)
        if not board.can_start():
            return sentence
        self.begin(board)
        return "= "

    def do_gogui_rules_board_gfx(self, _):
        gone = self.events()[-1][1] if self.events() else set()
        return lambda text: self.same(points_of(text[2:], "MARK", self.board), gone, text)

    def same(self, found, expected, text):
        if found != set(expected) or text[:2] != "= ":
            raise Wrong(f"expected {sorted(map(name, expected))}")

    def do_tanada_root(self, words):
        point = self.board.vertex(words[0]) if words else None
        if not words:
            return SYNTAX
        if point not in self.board.stones:
            return sentence
        root = self.board.root(point)

        def check(text):
            self.same(points_of(text[2:], "SQUARE", self.board), root, text)
            self.same(points_of(text[2:], "CIRCLE", self.board), self.board.space(root), text)

        return check

    def do_tanada_bounded(self, words):
        colour = self.colour(words)
        if colour is None:
            return SYNTAX
        loses, takes, at_stake = set(), set(), set()
        for point in self.board.legal(colour):
            after = self.board.copy()
            after.to_move = colour
            gone = after.play(point)
            owners = {self.board.stones.get(p, colour) for p in gone}
            loses |= {point} if colour in owners else set()
            takes |= {point} if owners - {colour} else set()
            at_stake |= gone & set(self.board.stones)

        def check(text):
            for word, points in [("MARK", loses), ("CIRCLE", takes), ("SQUARE", at_stake)]:
                self.same(points_of(text[2:], word, self.board), points, text)

        return check

    def do_time_settings(self, words):
        right = len(words) > 2 and is_float(words[0]) and is_float(words[1]) and is_count(words[2])
        if not right:
            return SYNTAX
        return "= " if all(0 <= float(word) < 2**31 for word in words[:2]) else sentence

    def do_time_left(self, words):
        right = len(words) > 2 and self.colour(words) and is_float(words[1]) and is_count(words[2])
        return "= " if right else SYNTAX

    def do_tanada_param(self, words):
        if words == ["setup_echo"]:
            return f"= {str(self.echo).lower()}"
        if len(words) == 2 and words[0] == "setup_echo" and words[1] in ("0", "1", "false", "true"):
            self.echo = words[1] in ("1", "true")
            return "= "
        return sentence if words else lines_like(r"\[[a-z0-9/-]+\] [a-z_]+ [^ ]+")

    def do_kata_get_param(self, words):
        return (f"= {str(self.echo).lower()}" if words[0] == "setup_echo" else sentence) if words else SYNTAX

    def do_help(self, words):
        if words:
            return lines_like(r"[^:]+: .+\.") if words[0] in COMMANDS else UNKNOWN
        return lines_like(r"[^:]+: .+\.")

    def do_list_commands(self, _):
        def check(text):
            names = text[2:].split("\n")
            if text[:2] != "= " or not all(re.fullmatch(r"[a-z][a-z0-9_-]*", n) for n in names):
                raise Wrong("expected one name per line, without blanks")
            missing = [n for n in [*COMMANDS, *REQUIRED] if n not in names]
            if missing or len(set(names)) < len(names):
                raise Wrong(f"expected each name exactly once; missing: {missing}")

        return check


FIXED = {
    "protocol_version": "= 2",
    "name": "= Tanada",
    "version": like(r"= \d+\.\d+\.\d+"),
    "cputime": like(r"= \d+\.\d+"),
    "gomill-cpu_time": like(r"= \d+\.\d+"),
    "gogui-interrupt": "= ",
    "gogui-rules_game_id": "= Tanbo",
    "clear_cache": "= ",
    "kata-list-params": like("= [a-z_]+( [a-z_]+)+"),
    "gogui-analyze_commands": lines_like("[a-z]+/[^/]+/[^/]+"),
    "tanada-evaluation": lines_like(r"([A-J]\d [01]\.\d{4})?"),
}
assert set(FIXED) <= set(COMMANDS)


class Engine:
    """The program and its output."""

    def __init__(self, program, size):
        limits = ["--threads", "1", "--iterations", "4", "--seed", "1", "--memory", "16"]
        command = [program, "gtp", "--size", str(size), *limits]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment(), stdin=pipe, stdout=pipe, stderr=pipe)
        self.chunks, self.errors = queue.Queue(), []
        self.bytes = b""
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.read_errors, daemon=True).start()

    def read(self):
        while True:
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            self.chunks.put(chunk)
            if not chunk:
                return

    def read_errors(self):
        self.errors.append(self.process.stderr.read())

    def send(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Wrong("the program closed its input") from None

    def more(self):
        """Waits for more bytes; returns False at the end of the output."""
        try:
            chunk = self.chunks.get(timeout=PATIENCE)
        except queue.Empty:
            raise Wrong(f"no answer within {PATIENCE} seconds") from None
        self.bytes += chunk
        return bool(chunk)

    def answer(self):
        """The bytes of the next answer without its empty line."""
        while b"\n\n" not in self.bytes:
            if not self.more():
                raise Wrong(f"the output ended after {self.bytes!r}")
        answer, self.bytes = self.bytes.split(b"\n\n", 1)
        return answer

    def end(self):
        """Checks the end of the output and the exit status."""
        self.process.stdin.close()
        while self.more():
            pass
        status = self.process.wait(PATIENCE)
        if self.bytes or status or any(self.errors):
            raise Wrong(f"ended with status {status}, output {self.bytes!r}, errors {self.errors!r}")


def check_form(answer, number):
    """Checks the form of an answer; returns its text, `= ...` or `? ...`, without the id."""
    try:
        text = answer.decode("utf-8")
    except UnicodeDecodeError:
        raise Wrong("the answer is not UTF-8") from None
    match = re.match(r"([=?])(\d*) ", text, re.ASCII)
    if match is None or match[2] != ("" if number is None else str(number)):
        raise Wrong(f"expected the id {number} and a blank")
    if any(unicodedata.category(c) == "Cc" and c not in "\t\n" for c in text) or text.startswith("\n"):
        raise Wrong("control characters in the answer")
    if any(line != line.rstrip() or not line for line in text.split("\n")[1:]):
        raise Wrong("blanks at the end of a line, or an empty line")
    return match[1] + " " + text[match.end() :]


def judge(game, line, engine):
    """Reads the answer to one command and compares it with the expected one."""
    number, command, words = read_line(line)
    answer = engine.answer()
    try:
        text = check_form(answer, number)
        expected = game.answer(command, words)
        if callable(expected):
            expected(text)
        elif expected == SYNTAX and command not in STANDARD:
            if not re.fullmatch(rf"\? syntax error: expected `{re.escape(command)}( [^`]+)?`", text):
                raise Wrong("expected a syntax error with the form of the command")
        elif text != expected:
            raise Wrong(f"expected {expected!r}")
    except Wrong as wrong:
        raise Wrong(f"{wrong}\nsent     {line[:300]!r}\nanswered {answer[:2000]!r}") from None


def session(program, size, count, chance):
    """Sends lines to one process; returns the number of commands it answered."""
    engine, game, chooser = Engine(program, size), Expectation(size), Chooser(chance)
    sent = answered = 0
    recent = []
    while sent < count:
        batch, guess = [], game.copy()
        for _ in range(chance.choice([1, 1, 1, 5, 30])):
            text = chooser.line(guess)
            batch += chooser.bytes(text).split(b"\n")[:-1]
            for line in batch[-1:]:
                parsed = read_line(line)
                if parsed and parsed[1] not in ("genmove", "tanada-bounded"):
                    guess.answer(parsed[1], parsed[2])
        engine.send(b"".join(line + b"\n" for line in batch))
        sent += len(batch)
        for line in batch:
            if read_line(line) is None:
                continue
            recent = [*recent[-19:], line]
            try:
                judge(game, line, engine)
            except Wrong as wrong:
                lines = "\n".join(f"    {line[:200]!r}" for line in recent)
                raise Wrong(f"{wrong}\non {size}x{size}, at line {sent} or before; the last lines:\n{lines}") from None
            answered += 1
    if chance.random() < 0.5:
        engine.send(b"5 quit\n6 name\n")
        if engine.answer() != b"=5 ":
            raise Wrong("the answer to `5 quit` is not `=5 `")
        answered += 1
    engine.end()
    return answered


def main():
    default = os.environ.get("TANADA_BIN") or str(ROOT / "target" / "release" / "tanada")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="seed of the random lines [1]")
    parser.add_argument("--lines", type=int, default=10_000, help="number of lines [10000]")
    parser.add_argument("--tanada", default=default, help="the program [TANADA_BIN or target/release/tanada]")
    arguments = parser.parse_args()
    begin, answered = time.monotonic(), 0
    chance = random.Random(arguments.seed)
    try:
        for size in SIZES:
            answered += session(arguments.tanada, size, arguments.lines // len(SIZES), chance)
    except OSError as error:
        sys.exit(f"strict_client.py: `{arguments.tanada}` cannot be run: {error}")
    except Wrong as wrong:
        sys.exit(f"strict_client.py: seed {arguments.seed}: {wrong}")
    seconds = time.monotonic() - begin
    print(f"strict client: {arguments.lines} lines, {answered} commands, seed {arguments.seed}, {seconds:.0f} s, all answers right")


if __name__ == "__main__":
    main()
