#!/usr/bin/env bash
# Builds an older generation of Tanada (scripts/lab/generations.txt) for matches against it, checks its bench signature,
# and prints the path of the program.
# Usage: scripts/lab/generation.sh NAME [FOLDER]
# FOLDER gets the program [target/generations].
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
    echo "$script: there is no file $list" >&2
    exit 1
fi
line=$(grep -v '^#' "$list" | awk -v n="$name" '$1 == n' || true)
if [ -z "$line" ]; then
    known=$(grep -v '^#' "$list" | awk '{printf "%s%s", s, $1; s = ", "}')
    refuse "unknown generation \`$name\`, expected one of: $known"
fi
read -r _ commit signature <<<"$line"
if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
    echo "$script: this clone lacks commit $commit of $name;" \
        "if it is shallow, fetch the history: git fetch --unshallow" >&2
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
# The program gets its name only if it is complete and has the right signature.
cp "$folder/build/release/tanada" "$binary.part"
found=$("$binary.part" bench --only signature | sed -n 's/^signature //p')
if [ "$found" != "$signature" ]; then
    echo "$script: $name, built from $commit, has the bench signature $found instead of $signature" >&2
    exit 1
fi
mv "$binary.part" "$binary"
echo "$binary"
