#!/usr/bin/env bash
# Builds a generation of the engine (scripts/lab/generations.txt) into a binary of its
# own, aside, for matches against it, and checks its bench signature.
# Usage: scripts/lab/generation.sh NAME [FOLDER]; prints the path of the binary.
# FOLDER is where the binary goes, target/generations if none is named.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
cd "$(dirname "$0")/../.."
. scripts/lab/common.sh

list=scripts/lab/generations.txt
name=${1:-}
folder=$(from_caller "${2:-}")
folder=${folder:-target/generations}
if [ ! -f "$list" ]; then
    echo "$script: $list is missing" >&2
    exit 1
fi
line=$(grep -v '^#' "$list" | awk -v n="$name" '$1 == n' || true)
if [ -z "$line" ]; then
    known=$(grep -v '^#' "$list" | awk '{printf "%s%s", s, $1; s = ", "}')
    refuse "unknown generation \`$name\`, expected one of: $known"
fi
read -r _ commit signature <<<"$line"
if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
    echo "$script: commit $commit of $name is not in this clone;" \
        "if the clone is shallow, fetch the history first: git fetch --unshallow" >&2
    exit 1
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
binary="$folder/tanada-$name"
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
git archive "$commit" | tar -xm -C "$source"
CARGO_TARGET_DIR="$folder/build" cargo build --locked --release \
    --manifest-path "$source/Cargo.toml" >&2
# Whole and right, or not there.
cp "$folder/build/release/tanada" "$binary.part"
found=$("$binary.part" bench --only signature | sed -n 's/^signature //p')
if [ "$found" != "$signature" ]; then
    echo "$script: $name built from $commit has the signature $found, expected $signature" >&2
    exit 1
fi
mv "$binary.part" "$binary"
echo "$binary"
