"""Judges mutants without compiling each of them: all stand in one test binary, and the environment selects one.

    scripts/hard/schemata.py CRATE RESULTS GROUP=FILES... [--shard K/N] [--tests MODULES] [--seconds S]
                              [--jobs N] [--missed] [--explained FILE] [-- OPTION...]

CRATE is a crate of scripts/hard/crate.sh, whose source is rewritten; FILES are patterns separated by commas. The
mutants are those that cargo-mutants lists with these options. A comparison `a < b` becomes

    (if crate::mutant::none(7, 8) { a < b } else if crate::mutant::is(7) { a <= b } else { a == b })

and a function that is to return a constant begins with a conditional `return`. One run of each test whose path begins
with one of MODULES records which mutants it reaches. A mutant is judged by those tests alone, the fastest first, until
one fails, needs 3 s more than four times its usual processor time, needs 4 GB, or the processor has worked for S seconds.

  --shard K/N         only every Nth mutant, from the Kth, which counts from 0 [0/1]
  --tests MODULES     paths of tests, separated by commas [all]
  --seconds S         processor time for a mutant [60]
  --jobs N            tests that run at once [1]
  --missed            only the mutants that were missed before
  --explained FILE    mutants in FILE that were missed before are not run again

Nor are those with another outcome in RESULTS/GROUP/outcomes.tsv. A mutant that does not compile is unviable if the
error is one of types, which it would have elsewhere too. The rest is left to cargo-mutants: RESULTS/GROUP/left.txt;
skip.txt lists all others. reasons.tsv names the test that caught a mutant, or those that reached it in vain.

Needs Linux and the packages tree-sitter and tree-sitter-rust. Exit status: 0 done, 1 a test fails
without a mutation, or an error belongs to no mutant.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import tree_sitter
import tree_sitter_rust

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
# A trait that is missing, wrong types, a match that is not exhaustive: errors that do not depend on the rewriting.
TYPE_ERRORS = {"E0004", "E0277", "E0282", "E0283", "E0308", "E0368", "E0369", "E0599", "E0600", "E0614", "E0790"}
MAX_MEMORY = 4 << 30
WALL_SECONDS = 120
# Slower tests would take hours to judge the mutants that survive the others.
MAX_TEST_SECONDS = 5
OUT_OF_TIME = (-signal.SIGKILL, -signal.SIGXCPU)

# The module `mutant` of the rewritten crate.
RUNTIME = """
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const RECORD: u32 = u32::MAX - 1;
const UNREAD: u32 = u32::MAX;
static ACTIVE: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

#[inline(always)]
pub fn is(number: u32) -> bool {
    let active = ACTIVE.load(Relaxed);
    let reached = || REACHED[number as usize].load(Relaxed);
    active == number || active >= RECORD && !(active == RECORD && reached()) && special(number)
}

/// Whether no mutant of this range is active.
#[inline(always)]
pub fn none(first: u32, last: u32) -> bool {
    let active = ACTIVE.load(Relaxed);
    if active >= RECORD {
        let known = active == RECORD && REACHED[first as usize].load(Relaxed);
        return known || (first..=last).all(|number| !special(number));
    }
    active < first || active > last
}

#[cold]
#[inline(never)]
fn special(number: u32) -> bool {
    if ACTIVE.load(Relaxed) == UNREAD {
        let active = std::env::var("MUTANT").map_or(u32::MAX - 2, |text| text.parse().unwrap_or(RECORD));
        ACTIVE.store(active, Relaxed);
    }
    let active = ACTIVE.load(Relaxed);
    if active != RECORD {
        return active == number;
    }
    if !REACHED[number as usize].swap(true, Relaxed) {
        use std::io::Write;
        let path = std::env::var("MUTANTS_REACHED").unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(format!("{number}\\n").as_bytes()).unwrap();
    }
    false
}
"""


def position(lines, place):
    """The offset in bytes of a line and column, which counts characters."""
    start, text = lines[place["line"] - 1]
    return start + len(text[: place["column"] - 1].encode())


class Source:
    """A file whose mutants are built in."""

    def __init__(self, path):
        self.path = path
        # With all mutants in it, inlined code takes many minutes to compile. Of equal length, so columns stay.
        self.bytes = path.read_bytes().replace(b"#[inline(always)]", b"#[inline(never)] ")
        self.tree = PARSER.parse(self.bytes)
        self.lines, at = [], 0
        for line in self.bytes.decode().splitlines(keepends=True):
            self.lines.append((at, line))
            at += len(line.encode())
        self.nodes = {}
        self.index(self.tree.root_node)
        self.mutants = []
        self.ranges = []

    def index(self, node):
        self.nodes.setdefault(node.start_byte, []).append(node)
        for child in node.children:
            self.index(child)

    def text(self, start, end):
        return self.bytes[start:end].decode()

    def place(self, mutant):
        """Sets what the mutant replaces: a node and, in its text, the text; None if it has to be compiled alone."""
        start, end = (position(self.lines, mutant["span"][side]) for side in ("start", "end"))
        mutant["node"] = None
        replacement = mutant["replacement"]
        nodes = self.nodes.get(start, [])
        genre = mutant["genre"]
        if mutant["function"] is None:
            return
        if genre == "FnValue":
            if "impl " in mutant["function"]["return_type"]:
                # Another type than that of the body.
                return
            # The body begins with its first statement, after the comments.
            for node in nodes:
                while node is not None and node.type != "function_item":
                    node = node.parent
                if node is not None:
                    body = node.child_by_field_name("body")
                    mutant["node"] = body
                    mutant["text"] = f"return {replacement};"
                    return
        for node in nodes:
            parent = node.parent
            if genre == "BinaryOperator" and parent is not None and not node.is_named:
                if parent.type in ("binary_expression", "compound_assignment_expr") and node.end_byte == end:
                    self.within(mutant, parent, start, end, replacement)
                elif parent.type == "let_chain":
                    # `||` cannot stand beside `let`.
                    mutant["outcome"] = "unviable"
            elif genre == "UnaryOperator" and node.type == "unary_expression":
                self.within(mutant, node, start, start + 1, "")
            elif genre == "MatchArmGuard" and node.end_byte == end and node.is_named and mutant["node"] is None:
                mutant["node"], mutant["text"] = node, replacement
            elif genre == "MatchArm" and node.type == "match_arm":
                if re.fullmatch(r"[a-z_]\w*", node.child_by_field_name("pattern").text.decode()):
                    # Nothing else matches what is left over.
                    mutant["outcome"] = "unviable"
                else:
                    mutant["node"], mutant["text"] = node, None
            elif genre == "StructField" and node.type == "field_initializer":
                whole = parent.parent
                comma = re.match(rb"\s*,", self.bytes[node.end_byte :])
                self.within(mutant, whole, start, node.end_byte + (comma.end() if comma else 0), "")

    def within(self, mutant, node, start, end, replacement):
        mutant["node"] = node
        mutant["text"] = self.text(node.start_byte, start) + replacement + self.text(end, node.end_byte)

    def write(self):
        """Writes the file with all placed mutants that still count."""
        self.edits = collections.defaultdict(list)
        for mutant in self.mutants:
            if mutant["node"] is not None and mutant["outcome"] is None:
                self.edits[mutant["node"].id].append(mutant)
        self.ranges, at, out = [], 0, []
        for text, mutant in self.render(self.tree.root_node, 0, len(self.bytes)):
            size = len(text.encode())
            if mutant is not None:
                self.ranges.append((at, at + size, mutant))
            at += size
            out.append(text)
        self.path.write_text("".join(out))

    def render(self, node, start=None, end=None):
        """Pieces of text, with the mutant that a piece belongs to."""
        pieces, at = [], node.start_byte if start is None else start
        edits = self.edits.get(node.id, [])
        for child in node.children:
            pieces.append((self.text(at, child.start_byte), None))
            pieces += self.render(child)
            at = child.end_byte
        pieces.append((self.text(at, node.end_byte if end is None else end), None))
        if not edits:
            return pieces
        if node.type == "match_arm":
            return self.arm(node, edits[0])
        if node.type == "block" and node.parent.type == "function_item":
            brace = next(i for i, (text, _) in enumerate(pieces) if text == "{") + 1
            inserted = []
            for mutant in edits:
                inserted += [(f" if crate::mutant::is({mutant['number']}) {{ ", None)]
                inserted += [(mutant["text"], mutant), (" }", None)]
            return pieces[:brace] + inserted + pieces[brace:]
        # The original stands first, because the first branch determines the type.
        first, last = edits[0]["number"], edits[-1]["number"]
        wrapped = [(f"(if crate::mutant::none({first}, {last}) {{ ", None), *pieces]
        for mutant in edits:
            condition = "" if mutant is edits[-1] else f"if crate::mutant::is({mutant['number']}) "
            wrapped += [(f" }} else {condition}{{ ", None), (mutant["text"], mutant)]
        return wrapped + [(" })", None)]

    def arm(self, node, mutant):
        """A match arm with a guard that deletes it."""
        pattern = node.child_by_field_name("pattern")
        guard = pattern.child_by_field_name("condition")
        check = (f"!crate::mutant::is({mutant['number']})", mutant)
        pieces, at = [], node.start_byte
        for child in node.children:
            pieces.append((self.text(at, child.start_byte), None))
            at = child.end_byte
            if child.id != pattern.id:
                pieces += self.render(child)
            elif guard is None:
                pieces += self.render(child) + [(" if ", None), check]
            else:
                pieces.append((self.text(pattern.start_byte, guard.start_byte), None))
                pieces += [check, (" && (", None)] + self.render(guard) + [(")", None)]
        return pieces + [(self.text(at, node.end_byte), None)]

    def blame(self, span):
        """The mutants in whose text a span of a compiler's message lies, or that lie in it."""
        start, end = span["byte_start"], span["byte_end"]
        return [mutant for a, b, mutant in self.ranges if a <= start and end <= b]


def cargo_list(crate, files, options):
    command = ["cargo", "mutants", "--list", "--json", *options]
    command += [option for file in files for option in ("--file", file)]
    listed = subprocess.run(command, cwd=crate, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(listed)


def compile_all(crate, sources):
    """Compiles the tests, and gives up the mutants with errors; returns the path of the binary."""
    command = ["cargo", "test", "--no-run", "--lib", "--message-format", "json"]
    environment = os.environ | {"RUSTFLAGS": "--cap-lints=allow"}
    while True:
        for source in sources.values():
            source.write()
        began = time.monotonic()
        built = subprocess.run(command, cwd=crate, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith(b"{")]
        seconds = time.monotonic() - began
        if built.returncode == 0:
            print(f"compiled in {seconds:.0f} s", file=sys.stderr)
            return next(m["executable"] for m in messages if m.get("executable"))
        given_up, unknown = 0, []
        for message in (m["message"] for m in messages if m["reason"] == "compiler-message"):
            if message["level"] != "error" or not message["spans"]:
                continue
            code = (message["code"] or {}).get("code")
            blamed = []
            for primary in (True, False):
                for span in message["spans"]:
                    source = sources.get(span["file_name"])
                    if span["is_primary"] == primary and source is not None and not blamed:
                        blamed = source.blame(span)
            if not blamed:
                unknown.append(message["rendered"])
            for mutant in blamed:
                if mutant["outcome"] is None:
                    given_up += 1
                    mutant["outcome"] = "unviable" if code in TYPE_ERRORS else "left"
                    mutant["error"] = message["rendered"]
        print(f"{given_up} mutants do not compile, found in {seconds:.0f} s", file=sys.stderr)
        if not given_up:
            sys.stderr.write("".join(unknown[:5]) or built.stderr.decode())
            sys.exit("schemata.py: these errors belong to no mutant")


def run(binary, crate, test, seconds, environment):
    """Runs a test alone: how it ended, and the processor's seconds."""
    limits = [f"--cpu={seconds}", f"--as={MAX_MEMORY}", "--core=0"]
    command = ["prlimit", *limits, binary, "--exact", test, "--test-threads", "1", "--quiet"]
    environment = os.environ | {"RUST_BACKTRACE": "0"} | environment
    null = subprocess.DEVNULL
    child = subprocess.Popen(command, cwd=crate, env=environment, stdin=null, stdout=null, stderr=null)
    began = time.monotonic()
    step = 0.001
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() - began > WALL_SECONDS + 10 * seconds:
            child.kill()
        time.sleep(step)
        step = min(step * 1.5, 0.05)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime


def record(binary, crate, folder, modules):
    """The tests, each with its seconds and the mutants that it reaches."""
    names = {}
    for option in ("--include-ignored", "--ignored"):
        listed = subprocess.run([binary, "--list", option], stdout=subprocess.PIPE, check=True, text=True, cwd=crate)
        names[option] = [line[: -len(": test")] for line in listed.stdout.splitlines() if line.endswith(": test")]
    tests = []
    for name in names["--include-ignored"]:
        if name in names["--ignored"] or not name.startswith(modules):
            continue
        reached = folder / f"reached-{os.getpid()}.txt"
        reached.unlink(missing_ok=True)
        recording = {"MUTANT": "record", "MUTANTS_REACHED": str(reached)}
        code, seconds = run(binary, crate, name, MAX_TEST_SECONDS, recording)
        if code in OUT_OF_TIME:
            print(f"skipped, because it takes more than {MAX_TEST_SECONDS} s: {name}", file=sys.stderr)
            continue
        if code != 0:
            sys.exit(f"schemata.py: the test `{name}` fails without a mutation")
        numbers = {int(line) for line in reached.read_text().split()} if reached.exists() else set()
        tests.append((seconds, name, numbers))
    return sorted(tests)


class Judge:
    """Judges a mutant and appends its outcome to the results."""

    def __init__(self, binary, crate, results, tests, seconds):
        self.binary, self.crate, self.results, self.tests, self.seconds = binary, crate, results, tests, seconds
        self.lock = threading.Lock()

    def __call__(self, mutant):
        """Whether tests had to be run."""
        unknown = mutant["outcome"] is None
        reaching = [(seconds, name) for seconds, name, numbers in self.tests if mutant["number"] in numbers]
        why = mutant.get("error", "")
        if unknown:
            mutant["outcome"], why = self.outcome(mutant["number"], reaching)
        folder = self.results / mutant["group"]
        with self.lock:
            if mutant["outcome"] != "left":
                with open(folder / "outcomes.tsv", "a") as out:
                    out.write(f"{mutant['outcome']}\t{mutant['name']}\n")
            with open(folder / "reasons.tsv", "a") as out:
                out.write(f"{mutant['outcome']}\t{mutant['name']}\t{why!r}\n")
        return unknown

    def outcome(self, number, reaching):
        spent = 0
        for seconds, name in reaching:
            spent += seconds
            if spent > self.seconds and spent > seconds:
                break
            code, _ = run(self.binary, self.crate, name, int(3 + 4 * seconds), {"MUTANT": str(number)})
            if code != 0:
                return "timeout" if code in OUT_OF_TIME else "caught", name
        return "missed", f"{len(reaching)} tests reach it: " + " ".join(name for _, name in reaching[:8])


def write_lists(results, listed, mutants):
    """Which mutants are left to cargo-mutants, and which it skips."""
    for group, all_mutants in listed.items():
        left = {mutant["name"] for mutant in mutants if mutant["outcome"] == "left" and mutant["group"] == group}
        (results / group / "left.txt").write_text("".join(sorted(name + "\n" for name in left)))
        skip = sorted(mutant["name"] + "\n" for mutant in all_mutants if mutant["name"] not in left)
        (results / group / "skip.txt").write_text("".join(skip))


def read_explained(file):
    """The explained mutants: the text of each without its line and column, and its number among equal ones."""
    found = set()
    for line in file.read_text().splitlines():
        if line and not line.startswith("#"):
            text, numbers = line.split("\t")[0].rsplit(" #", 1)
            found |= {(text, int(number)) for number in numbers.split(",")}
    return found


def number_equal(names):
    """For each mutant its text without its line and column, and its number among those with this text."""
    parts = [re.fullmatch(r"(.*?):(\d+):(\d+): (.*)", name).groups() for name in names]
    counts, places = collections.Counter(), {}
    for file, line, column, text in sorted(parts, key=lambda part: (part[0], int(part[1]), int(part[2]))):
        short = f"{file}: {text}"
        counts[short] += 1
        places[f"{file}:{line}:{column}: {text}"] = (short, counts[short])
    return places


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("crate", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("groups", nargs="+")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tests", default="", metavar="MODULES", help="paths of tests, separated by commas")
    parser.add_argument("--explained", type=Path, default=os.devnull)
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    arguments, options = parser.parse_args(given[:end]), given[end + 1 :]
    crate, results = arguments.crate.resolve(), arguments.results.resolve()
    first, step = map(int, arguments.shard.split("/"))
    sources, mutants, listed = {}, [], {}
    explained = read_explained(arguments.explained)
    for group, files in (group.split("=") for group in arguments.groups):
        folder = results / group
        folder.mkdir(parents=True, exist_ok=True)
        outcomes = folder / "outcomes.tsv"
        last = {}
        if outcomes.exists():
            last = {name: outcome for outcome, name in (line.split("\t") for line in outcomes.read_text().splitlines())}
        listed[group] = cargo_list(crate, files.split(","), options)
        places = number_equal([mutant["name"] for mutant in listed[group]])
        for mutant in listed[group][first::step]:
            mutant |= {"group": group, "outcome": None, "node": None}
            outcome = last.get(mutant["name"])
            if outcome not in (None, "missed") or outcome == "missed" and places[mutant["name"]] in explained:
                continue
            if arguments.missed and outcome is None:
                continue
            source = sources.setdefault(mutant["file"], None) or Source(crate / mutant["file"])
            sources[mutant["file"]] = source
            source.mutants.append(mutant)
            mutants.append(mutant)
            source.place(mutant)
            if mutant["node"] is None and mutant["outcome"] is None:
                mutant["outcome"] = "left"
    # The mutants of a node have adjacent numbers.
    def order(mutant):
        node = mutant["node"]
        return (mutant["file"], node.start_byte, node.id) if node else ("", 0, 0)

    for number, mutant in enumerate(sorted(mutants, key=order)):
        mutant["number"] = number
    for source in sources.values():
        source.mutants.sort(key=lambda mutant: mutant["number"])
    library = crate / "src/lib.rs"
    declared = "\npub mod mutant;\n"
    text = library.read_text()
    if not text.endswith(declared):
        library.write_text(text + declared)
    (crate / "src/mutant.rs").write_text(RUNTIME.replace("COUNT", str(max(len(mutants), 1))))
    if all(mutant["outcome"] for mutant in mutants):
        write_lists(results, listed, mutants)
        for mutant in mutants:
            Judge("", crate, results, [], 0)(mutant)
        return
    # Another crate of the same name may be compiled meanwhile.
    binary = shutil.copy(compile_all(crate, sources), crate / "tests-together")
    began = time.monotonic()
    tests = record(binary, crate, results, tuple(arguments.tests.split(",")))
    print(f"recorded {len(tests)} tests in {time.monotonic() - began:.0f} s", file=sys.stderr)
    with open(crate / "tests.tsv", "w") as out:
        for seconds, name, numbers in tests:
            out.write(f"{seconds:.3f}\t{len(numbers)}\t{name}\n")
    began = time.monotonic()
    write_lists(results, listed, mutants)
    judge = Judge(binary, crate, results, tests, arguments.seconds)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        judged = sum(pool.map(judge, mutants))
    print(f"judged {judged} mutants in {time.monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
