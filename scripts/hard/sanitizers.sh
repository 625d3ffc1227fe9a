#!/usr/bin/env bash
# Runs tests and benches with AddressSanitizer or ThreadSanitizer.
#
# Usage: scripts/hard/sanitizers.sh address|thread [--all]
#
#   address   the code that has `unsafe`, on every path that this machine has: the tests of `src/cpu`, of the network, the
#             search and the solvers, and the benches of both games
#   thread    the code that shares memory between threads: the tests of the search, the solvers, the analysis, the
#             protocol, the servers and the laboratory; then searches and solutions with four threads
#   --all     all tests of the library
#
# Sanitizers are nightly flags, which the stable compiler takes with RUSTC_BOOTSTRAP=1. For `address` the standard library
# is not instrumented, but its allocations are watched; `thread` compiles it too, from the component `rust-src`.
#
# Exit status: 0 no error reported, 1 an error or a failed test, 2 wrong arguments.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
cd "$(dirname "$0")/../.."

refuse() {
    echo "sanitizers.sh: $1" >&2
    exit 2
}

kind=${1:-} all=false
case $kind in
    address) filters=(cpu:: network:: search:: solver:: exact:: playout) ;;
    thread) filters=(search:: solver:: exact:: analysis:: gtp:: web:: abstract_play:: util:: lab:: engine:: endgame) ;;
    "") refuse "missing argument; expected \`address\` or \`thread\`" ;;
    *) refuse "unexpected argument \`$kind\`; expected \`address\` or \`thread\`" ;;
esac
shift
if [ "${1:-}" = --all ]; then all=true && shift; fi
[ $# -eq 0 ] || refuse "unexpected argument \`$1\`; expected \`--all\` or nothing"
if $all; then filters=(); fi

host=$(rustc -vV | sed -n 's/^host: //p')
target=${CARGO_TARGET_DIR:-target}/$kind-sanitizer
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$kind -Cunsafe-allow-abi-mismatch=sanitizer"
export TANADA_CONFIG="" ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1
cargo=(cargo --locked --config 'profile.dev.opt-level=2')
where=(--target "$host" --target-dir "$target")
# A game of 3000 plies, ten times as long as any on a board, is too deep for a stack whose frames the sanitizer makes
# larger; and one test plays for minutes without new code.
skip=(--skip limits_end_a_search --skip a_bound_keeps_absurd_moves_away)

tests() {
    "${cargo[@]}" test --quiet --lib "${where[@]}" -- "${filters[@]}" "${skip[@]}"
}

tanada() {
    "${cargo[@]}" run --quiet "${where[@]}" -- "$@"
}

benches() {
    local game found
    for game in tanbo taratibu; do
        found=$(tanada bench --game "$game" --only signature | sed -n 's/^signature //p')
        echo "$game: $found"
        [ "$found" = "$(cat "tests/data/signature-$game.txt")" ] || {
            echo "sanitizers.sh: the bench signature of $game differs from tests/data/signature-$game.txt" >&2
            exit 1
        }
    done
}

if [ "$kind" = address ]; then
    for path in fastest portable; do
        if [ $path = portable ]; then export TANADA_PORTABLE=1; fi
        echo "$path code"
        tests
        benches
    done
else
    sources=$(rustc --print sysroot)/lib/rustlib/src/rust/library
    [ -d "$sources" ] || refuse "there is no \`$sources\`; rustup component add rust-src"
    cargo+=(-Z build-std)
    tests
    for words in "--size 9" "--size 9 --players 4" "--game taratibu" "--size 9 --set graph_search=false" "--size 7 --memory 16"; do
        # shellcheck disable=SC2086
        tanada genmove --threads 4 --iterations 20000 $words
    done
    tanada solve --size 5 --threads 4 --memory 16
fi
