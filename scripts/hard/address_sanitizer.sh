#!/usr/bin/env bash
# Runs the code that has `unsafe`, on every path that this machine has, with AddressSanitizer: the tests of `src/cpu`, of
# the network, the search and the solvers, and the benches of both games.
#
# Usage: scripts/hard/address_sanitizer.sh [--all]
#
#   --all   all tests of the library, instead of those that reach `unsafe` most
#
# The sanitizer is a nightly flag, which the stable compiler takes with RUSTC_BOOTSTRAP=1. The standard library is not
# instrumented; its allocations are.
#
# Exit status: 0 no error reported, 1 an error or a failed test, 2 wrong arguments.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
cd "$(dirname "$0")/../.."

filters=(cpu:: network:: search:: solver:: exact:: playout)
if [ "${1:-}" = --all ]; then filters=() && shift; fi
if [ $# -gt 0 ]; then
    echo "address_sanitizer.sh: unexpected argument \`$1\`; expected \`--all\` or nothing" >&2
    exit 2
fi

host=$(rustc -vV | sed -n 's/^host: //p')
target=${CARGO_TARGET_DIR:-target}/address-sanitizer
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Cunsafe-allow-abi-mismatch=sanitizer"
export TANADA_CONFIG="" ASAN_OPTIONS="detect_leaks=0"
# A game of 3000 plies, ten times as long as any on a board, is too deep for a stack whose frames the sanitizer makes
# larger; and one test plays for minutes without new code.
skip=(--skip limits_end_a_search --skip a_bound_keeps_absurd_moves_away)
cargo=(cargo --locked --config 'profile.dev.opt-level=2')

for path in fastest portable; do
    if [ $path = portable ]; then export TANADA_PORTABLE=1; fi
    echo "$path code"
    "${cargo[@]}" test --quiet --lib --target "$host" --target-dir "$target" -- "${filters[@]}" "${skip[@]}" || exit 1
    for game in tanbo taratibu; do
        found=$("${cargo[@]}" run --quiet --target "$host" --target-dir "$target" -- bench --game "$game" --only signature |
            sed -n 's/^signature //p') || exit 1
        echo "$game: $found"
        if [ "$found" != "$(cat "tests/data/signature-$game.txt")" ]; then
            echo "address_sanitizer.sh: the bench signature of $game differs from tests/data/signature-$game.txt" >&2
            exit 1
        fi
    done
done
