#!/usr/bin/env bash
# Packages the crate as `cargo publish` would, and checks the package: Cargo does not warn, it has at most 3 MB, no file
# of src is missing, and all its targets compile from what it holds.
# Usage: scripts/check/crate.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
cd "$(dirname "$0")/../.."

fail() {
    echo "crate.sh: $*" >&2
    exit 1
}

mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
folder=$target/crate
rm -rf "$folder"
mkdir "$folder"
export CARGO_TERM_COLOR=never

cargo package --locked --no-verify --allow-dirty --target-dir "$folder" 2>&1 | tee "$folder/log"
if grep -q '^warning' "$folder/log"; then fail "\`cargo package\` warns; the package must be made without warnings"; fi

crate=$(find "$folder/package" -maxdepth 1 -name '*.crate')
size=$(wc -c <"$crate")
[ "$size" -le 3000000 ] || fail "the package has $size bytes, expected at most 3000000; see \`include\` in Cargo.toml"
echo "$(basename "$crate"), $size bytes"

# The page of `tanada web` is embedded as a folder, so the compiler does not miss a file of it.
tar xzf "$crate" -C "$folder"
unpacked=$folder/$(basename "$crate" .crate)
missing=$(git ls-files src | while read -r file; do [ ! -e "$file" ] || [ -e "$unpacked/$file" ] || echo "$file"; done)
[ -z "$missing" ] || fail "the package lacks these files of src; see \`include\` in Cargo.toml:"$'\n'"$missing"

# Like the lints before it, with the same dependencies: only the crate itself is compiled.
cargo check --locked --quiet --all-targets --manifest-path "$unpacked/Cargo.toml" --target-dir "$target" ||
    fail "the package does not compile on its own"
