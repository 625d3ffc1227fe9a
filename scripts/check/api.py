#!/usr/bin/env python3
"""Compares the public interface of the library with its listing in tests/data/public-api.txt.

A change of the interface fails the check until the listing is updated, and so a review sees it as a diff.

Usage: scripts/check/api.py [--update]
"""
# The listing is read from the pages of `cargo doc`. They have what users of the library are promised: the items of the
# front page, under the names that they have there. rustdoc's JSON, which cargo-public-api reads, needs a nightly
# compiler (or RUSTC_BOOTSTRAP, which compiles many dependencies again) and leaves out re-exports from hidden modules.

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTING = ROOT / "tests/data/public-api.txt"
HEAD = "The public interface of the library. `scripts/check/api.py --update` writes this file.\n"

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# Traits that nobody outside the compiler's own library can name.
INTERNAL = re.compile(r"\b(Freeze|UnsafeUnpin|StructuralPartialEq)\b")


class ItemPage(HTMLParser):
    """Collects the declarations on the page of an item: the part of the page, its heading's tag, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.declarations: list[tuple[str, str, str]] = []
        self.open: list[tuple[str, str]] = []  # tag and id of the elements around
        self.text: list[str] = []
        self.outside: int | None = None  # how many elements are open around the declaration
        self.note: int | None = None  # the same for a remark like "Show 13 fields"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        values = dict(attrs)
        classes = (values.get("class") or "").split()
        if self.outside is None:
            if "item-decl" in classes or "code-header" in classes:
                self.outside, self.text = len(self.open), []
        elif self.note is None and tag == "summary":
            self.note = len(self.open)
        elif tag == "div":
            self.text.append("\n")  # a `where` clause
        self.open.append((tag, values.get("id") or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        self.open.pop()
        if self.note == len(self.open):
            self.note = None
        if self.outside == len(self.open):
            part = next((name for _, name in reversed(self.open) if name.endswith("-list")), "")
            self.declarations.append((part, tag, "".join(self.text)))
            self.outside = None

    def handle_data(self, data: str) -> None:
        if self.outside is not None and self.note is None:
            self.text.append(data)


def in_one_line(text: str) -> str:
    line = " ".join(text.split())
    return re.sub(r",? \)", ")", line.replace("( ", "("))


def lines_of(page: str) -> list[str]:
    """The lines of the listing for an item."""
    parser = ItemPage()
    parser.feed(page)
    parser.close()
    lines = []
    for part, tag, text in parser.declarations:
        line = in_one_line(text)
        if tag == "pre":
            lines += [row.rstrip() for row in text.splitlines() if row.strip()]
        elif INTERNAL.search(line):
            pass
        elif part == "implementations-list":
            lines.append(line if tag == "h3" else f"    {line}")
        elif part == "trait-implementations-list":
            if tag == "h3":
                lines.append(line)
            elif line.startswith("type "):
                lines.append(f"    {line}")
        elif part == "synthetic-implementations-list" and (" !" in line or " where " in line):
            lines.append(line)
    return lines


def documentation() -> Path:
    """Makes the pages, apart from those that `cargo doc` makes for people, and returns their folder."""
    build = Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
    target = build / "api"
    # What is compiled for other steps serves here too. The flags keep these pages apart from others: with the same flags
    # Cargo would take both for one, and leave the older as they are.
    environment = os.environ | {
        "CARGO_BUILD_BUILD_DIR": str(build),
        "CARGO_TARGET_DIR": str(target),
        "RUSTDOCFLAGS": "--cap-lints allow",
    }
    pages = target / "doc/tanada"
    # Pages of items that are gone would stay.
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cargo", "doc", "--locked", "--quiet", "--no-deps", "--lib"], env=environment, check=True)
    return pages


def listing(pages: Path) -> str:
    index = (pages / "all.html").read_text(encoding="utf-8")
    items = re.findall(r'<a href="((?:\w+/)*)(\w+)\.(\w+)\.html"', index)
    text = HEAD
    for folder, kind, name in sorted(set(items), key=lambda item: (item[0], item[2], item[1])):
        page = (pages / folder / f"{kind}.{name}.html").read_text(encoding="utf-8")
        lines = lines_of(page)
        if not lines:
            sys.exit(f"api.py: the page of `{name}` has no declaration; this rustdoc writes pages that the script cannot read")
        text += f"\n## tanada::{folder.replace('/', '::')}{name}\n" + "".join(f"{line}\n" for line in lines)
    if not items:
        sys.exit("api.py: `cargo doc` lists no items; this rustdoc writes pages that the script cannot read")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("Usage:")[0])
    parser.add_argument("--update", action="store_true", help="write the listing instead of comparing it")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    found = listing(documentation())
    if arguments.update:
        LISTING.write_text(found, encoding="utf-8")
        return
    kept = LISTING.read_text(encoding="utf-8") if LISTING.exists() else ""
    if found != kept:
        sys.stdout.writelines(
            difflib.unified_diff(kept.splitlines(True), found.splitlines(True), str(LISTING.relative_to(ROOT)), "the code")
        )
        sys.exit("api.py: the public interface has changed; if that is meant, run `scripts/check/api.py --update`")
    print(f"{found.count(chr(10) + '## ')} public items, as listed")


if __name__ == "__main__":
    main()
