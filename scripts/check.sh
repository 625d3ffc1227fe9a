#!/usr/bin/env bash
# Everything that CI runs: format, lints and docs as errors, tests, the bench
# signature on both run-time paths, the scripts. Needs a Rust toolchain. Steps that need more say
# what is missing and are skipped; with CI=true what they need is installed, and a skip is a failure.
# Usage: scripts/check.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/help.sh"
no_arguments "$@"
cd "$(dirname "$0")/.."

need() {
    command -v "$1" >/dev/null 2>&1 && return
    echo "check.sh: '$1' is missing; $2" >&2
    exit 1
}
need cargo "install a Rust toolchain (1.95 or newer) with rustup"
for component in rustfmt clippy; do
    if ! cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1; then
        need rustup "install the toolchain component '$component'"
        rustup component add "$component"
    fi
done

step() { printf '\n== %s\n' "$1"; }

if [ "${CI:-}" = true ]; then
    step "tools"
    scripts/check/tools.sh
fi
# A step that says SKIPPED on standard error fails where CI=true.
checked() {
    local log status=0
    log=$(mktemp)
    "$@" 2> >(tee "$log" >&2) || status=$?
    wait $! 2>/dev/null || true
    if [ "${CI:-}" = true ] && grep -q SKIPPED "$log"; then
        echo "check.sh: a step was skipped, and CI=true wants all of them" >&2
        status=1
    fi
    rm -f "$log"
    return "$status"
}

step "format"
cargo fmt --check
# The program, whose last part takes one core for minutes, is built beside what follows.
mkdir -p "${CARGO_TARGET_DIR:-target}"
build_log=${CARGO_TARGET_DIR:-target}/check-build.log
cargo build --locked --release >"$build_log" 2>&1 &
build=$!
trap 'kill "$build" 2>/dev/null || true' EXIT
step "lints"
cargo clippy --locked --all-targets -- -D warnings
step "docs"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items
step "build"
cargo test --locked --no-run
if ! wait "$build"; then
    cat "$build_log" >&2
    exit 1
fi
trap - EXIT
tail -n 1 "$build_log"
step "tests"
cargo test --locked
step "signature"
for path in newest portable; do
    if [ "$path" = portable ]; then export TANADA_PORTABLE=1; fi
    for game in tanbo taratibu; do
        file=tests/data/signature-$game.txt
        if [ ! -f "$file" ]; then
            echo "check.sh: $file is missing" >&2
            exit 1
        fi
        expected=$(cat "$file")
        found=$("${CARGO_TARGET_DIR:-target}/release/tanada" bench --game "$game" --only signature |
            sed -n 's/^signature //p')
        echo "$game, $path path: $found"
        if [ "$found" != "$expected" ]; then
            echo "check.sh: the bench signature is $found, $file says $expected;" >&2
            echo "a change that alters the play writes the new one there and says so in its commit" >&2
            exit 1
        fi
    done
done
unset TANADA_PORTABLE
step "scripts"
for file in scripts/*.sh scripts/*/*.sh; do bash -n "$file"; done
skipped=""
python=target/venv/bin/python3 # where scripts/cluster/requirements.txt puts the packages
[ -x "$python" ] || python=python3
complaints=${CARGO_TARGET_DIR:-target}/check-help.log
# What begins with `#!` is started by people; the rest is for other scripts.
for file in $(grep -l '^#!' scripts/*.sh scripts/*/*.sh scripts/*/*.py) scripts/check/*.mjs scripts/check/clients/*.mjs; do
    case $file in
        *.py) with=$python ;;
        *.mjs) with=node ;;
        *) with=bash ;;
    esac
    command -v "$with" >/dev/null 2>&1 || continue
    if ! usage=$(timeout 10 "$with" "$file" --help 2>"$complaints") || [ -s "$complaints" ] ||
        [[ $usage != *[Uu]sage* ]]; then
        cat "$complaints" >&2
        echo "check.sh: \`$file --help\` fails, complains or tells no usage" >&2
        exit 1
    fi
done
if ! command -v "$python" >/dev/null 2>&1; then
    skipped="python3 is missing, the Python scripts are not even parsed"
else
    "$python" -c 'import ast, sys; [ast.parse(open(file).read(), file) for file in sys.argv[1:]]' scripts/*/*.py
    TANADA_BIN="${CARGO_TARGET_DIR:-target}/release/tanada" checked "$python" scripts/check/records.py
    if ! "$python" -c 'import distributed, psutil' 2>/dev/null; then
        skipped="the packages \`distributed\` and \`psutil\` are missing"
    else
        # All of its tests are some seconds longer.
        TANADA_BIN="${CARGO_TARGET_DIR:-target}/release/tanada" "$python" scripts/cluster/test_match.py \
            ClusterMatch.test_a_killed_worker_costs_nothing_but_time \
            ClusterMatch.test_a_crash_stops_the_match_and_stays_a_loss
    fi
fi
step "clients"
TANADA_BIN="${CARGO_TARGET_DIR:-target}/release/tanada" checked scripts/check/clients.sh
tell_skipped() {
    if [ -n "$skipped" ]; then
        echo "check.sh: SKIPPED the cluster test: $skipped; scripts/cluster/requirements.txt names the packages" >&2
    fi
}
TANADA_BIN="${CARGO_TARGET_DIR:-target}/release/tanada" checked scripts/check/page.sh
checked tell_skipped
printf '\nall checks passed\n'
