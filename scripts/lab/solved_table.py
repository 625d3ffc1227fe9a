#!/usr/bin/env python3
"""Solves the setups of tests/data/solved and the setups `corners`, writes and checks a certificate for each, and prints
the table rows of docs/lab/solved.md.

    scripts/lab/solved_table.py [--limit SECONDS] [--keep FOLDER] [--bare NAME] [NAME ...]

NAME is a part of a setup's name [all setups]. Needs target/release/tanada. SECONDS limits the search of a setup, but
not the time for its certificate.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/release/tanada"


def tanada(*words):
    found = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    if not found.stdout:
        sys.exit(found.stderr)
    return json.loads(found.stdout)


def setups():
    for side in (4, 5, 6):
        yield f"{side}x{side}-corners", ["--size", side, "--setup", "corners"]
    for path in sorted((ROOT / "tests/data/solved").glob("*.txt")):
        yield path.stem, [path.relative_to(ROOT)]


def row(name, words, limit, folder, bare):
    certificate = folder / f"{name}.cert"
    common = ["solve", *words, "--json", "--memory", 4096, "--threads", 2]
    certified = [] if name in bare else ["--certificate", certificate]
    found = tanada(*common, "--time", limit, *certified)
    command = "`tanada solve " + " ".join(map(str, words)) + "`"
    if found["winner"] is None:
        return [name, "?", "", "", f"{found['nodes']:,}", f"{found['seconds']:.1f}",
                f"{found['memory']:.0f}", "", "", "", command]
    if certified and "certificate" not in found:
        sys.exit(f"{name}: the certificate could not be written")
    length = tanada(*common, "--time", limit, "--length")["length"] or ""
    winning = ""
    if found["winner"] == found["to_move"]:
        moves = tanada(*common, "--time", limit, "--all-moves")["moves"]
        winning = " ".join(m["move"] for m in moves if m["winner"] == found["winner"])
    proof = ["", "", ""]
    if certified:
        checked = tanada("verify", certificate, "--json")
        if not checked["valid"] or checked["winner"] != found["winner"]:
            sys.exit(f"{name}: the certificate is false")
        proof = [f"{checked['positions']:,}", f"{certificate.stat().st_size:,}", checked["plies"]]
    return [name, found["winner"], winning, length, f"{found['nodes']:,}",
            f"{found['seconds']:.3f}", f"{found['memory']:.0f}", *proof, command]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", metavar="NAME", nargs="*", help="part of a setup's name [all setups]")
    parser.add_argument("--limit", metavar="SECONDS", type=float, default=600, help="limit of a search [600]")
    parser.add_argument("--keep", metavar="FOLDER", help="folder that keeps the certificates [deleted at the end]")
    parser.add_argument("--bare", metavar="NAME", action="append", default=[], help="setup to solve without a certificate")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        for name, words in setups():
            if not options.names or any(part in name for part in options.names):
                cells = row(name, words, options.limit, folder, options.bare)
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)


main()
