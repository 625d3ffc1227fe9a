#!/usr/bin/env bash
# Fuzzes the targets of the folder `fuzz`, guided by coverage: libFuzzer changes inputs and keeps those that reach new
# code. Stops at the first input that fails and tells where it is.
#
# Usage: scripts/hard/fuzz.sh [--targets "sgf gtp"] [--seconds 60 | --runs N] [--folder target/fuzz] [--seed 0] [--fast]
#                             [--keep]
#
#   --targets NAMES   targets, one after the other [all]
#   --seconds S       time for each target [60]
#   --runs N          executions of each target, instead of a time
#   --folder DIR      keeps the inputs that reach new code, and those that fail; a second run continues there [target/fuzz]
#   --seed N          seed; 0 takes the time [0]
#   --fast            without debug assertions and without tracing what is compared: more inputs a second
#   --keep            after the run, replace the unnamed inputs in fuzz/corpus by the few that reach the most code
#
# Needs a C++ compiler for libFuzzer, which comes with the crate libfuzzer-sys, and stable Rust. The
# programs check overflows and, without `--fast`, every debug assertion. Prints for each target its executions and
# covered edges.
#
# Exit status: 0 nothing failed, 1 an input failed, a target did not run or no input was picked, 2 wrong arguments.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."

script=$(basename "$0")
refuse() {
    echo "$script: $*" >&2
    exit 2
}
value() {
    [ $# -gt 1 ] || refuse "\`$1\` needs a value"
    printf '%s' "$2"
}

targets="" seconds=60 runs=-1 seed=0 folder=target/fuzz fast="" keep=""
while [ $# -gt 0 ]; do
    case $1 in
        --targets) targets=$(value "$@") ;;
        --seconds) seconds=$(value "$@") ;;
        --runs) runs=$(value "$@") seconds=0 ;;
        --folder) folder=$(value "$@") ;;
        --seed) seed=$(value "$@") ;;
        --fast)
            fast=yes
            shift
            continue
            ;;
        --keep)
            keep=yes
            shift
            continue
            ;;
        *) refuse "unknown option \`$1\`; \`--help\` shows the options" ;;
    esac
    shift 2
done
for number in "$seconds" "$seed" "${runs#-}"; do
    [[ $number =~ ^[0-9]+$ ]] || refuse "\`$number\` is not a whole number"
done
known=$(cd fuzz/corpus && echo *)
for name in $targets; do
    [ -d "fuzz/corpus/$name" ] || refuse "unknown target \`$name\`; expected some of: $known"
done

# The counters that guide libFuzzer; they are for this machine's target only, not for build scripts.
host=$(rustc -vV | sed -n 's/^host: //p')
build=${CARGO_TARGET_DIR:-target}/fuzz-build${fast:+-fast}
level=4 compares=-Cllvm-args=-sanitizer-coverage-trace-compares assertions=true
if [ -n "$fast" ]; then level=3 compares="" assertions=false; fi
RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=$level \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table $compares" \
    CARGO_PROFILE_FUZZ_DEBUG_ASSERTIONS=$assertions \
    cargo build --locked --quiet --package tanada-fuzz --features libfuzzer --profile fuzz --target "$host" --target-dir "$build"
program=$(realpath "$build/$host/fuzz/fuzz")
mkdir -p "$folder"
folder=$(realpath "$folder")

for name in ${targets:-$known}; do
    mkdir -p "$folder/corpus/$name" "$folder/failed"
    log=$folder/$name.log
    # Targets may name files; they run in an empty folder.
    empty=$(mktemp -d)
    if ! (cd "$empty" && FUZZ_TARGET=$name "$program" "$folder/corpus/$name" "$OLDPWD/fuzz/corpus/$name" \
        -artifact_prefix="$folder/failed/$name-" -max_total_time="$seconds" -runs="$runs" -seed="$seed" \
        -max_len=4096 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 >"$log" 2>&1); then
        rm -rf "$empty"
        tail -n 30 "$log" >&2
        echo "$script: an input of \`$name\` failed; see $folder/failed and $log" >&2
        exit 1
    fi
    rm -rf "$empty"
    executed=$(sed -n 's/^stat::number_of_executed_units: //p' "$log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    printf '%-14s %10d executions, %6d per second, %6d edges\n' "$name" "$executed" "$rate" "$covered"
    if [ -n "$keep" ]; then
        merged=$(mktemp -d)
        mkdir "$merged/all" "$merged/picked" "$merged/empty"
        # The old inputs stay until there are new ones.
        if ! (cd "$merged/empty" && FUZZ_TARGET=$name "$program" -merge=1 -merge_control_file="$merged/control" \
            "$merged/all" "$folder/corpus/$name" "$OLDPWD/fuzz/corpus/$name" >>"$log" 2>&1) ||
            ! scripts/hard/pick_inputs.py "$merged/control" "$merged/picked" ||
            [ -z "$(find "$merged/picked" -type f -print -quit)" ]; then
            rm -rf "$merged"
            echo "$script: no input of \`$name\` was picked, so fuzz/corpus/$name stays as it was; see $log" >&2
            exit 1
        fi
        find "fuzz/corpus/$name" -regextype posix-extended -regex '.*/[0-9a-f]{12}' -delete
        find "$merged/picked" -type f -exec cp -t "fuzz/corpus/$name" {} +
        rm -rf "$merged"
    fi
done
