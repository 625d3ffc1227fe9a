#!/usr/bin/env bash
# Changes the source in small ways, one at a time, and checks whether the tests notice (cargo-mutants).
# Usage: scripts/hard/mutants.sh [--shard K/N] [--results DIR] [--report] [GROUP...]
#
#   GROUP            parser, clocks, statistics, certificates, records, rules, taratibu, bounds [all]
#   --shard K/N      only every Nth mutant, from the Kth, which counts from 0 [0/1]
#   --results DIR    folder that later runs add to [target/mutants/results]
#   --report         only print what the folder holds
#
# Each group has its files and the tests that matter for it. They run in a small crate of the modules that they need,
# below target/mutants, because each mutant is compiled. Mutants that were caught before are not run again, so a run can
# be stopped and continued, or split by --shard. A mutant that no quick test catches is tried again with the slow ones.
# scripts/hard/mutants-explained.txt lists the mutants that no test can catch, with the reason.
#
# Needs cargo-mutants: cargo install --locked --root target/tools cargo-mutants
#
# Exit status: 0 every judged mutant is caught or explained, 1 some are missed, 2 wrong arguments.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
. scripts/hard/crate.sh
explained=scripts/hard/mutants-explained.txt
all=(parser clocks statistics certificates records rules taratibu bounds)

refuse() {
    echo "mutants.sh: $1" >&2
    exit 2
}

# Sets what a group is: its crate, files, quick tests, all tests.
describe() {
    crate=games slow=()
    case $1 in
        parser) crate=small files=(src/gtp/parse.rs) quick=(gtp::) ;;
        clocks) crate=small files=('src/clock/*') quick=(clock::) ;;
        statistics) crate=small files=('src/lab/stats/*' src/util/wilson.rs) quick=(stats:: util::wilson) ;;
        certificates)
            files=('src/tanbo/certificate/*')
            quick=(tanbo::certificate tests::certificate)
            ;;
        records) files=('src/tanbo/sgf/*') quick=(tanbo::sgf) slow=(tests::records tests::properties) ;;
        rules)
            files=('src/tanbo/position/*' src/tanbo/line.rs src/tanbo/setup.rs src/board/set.rs)
            quick=(tanbo::position tanbo::line tanbo::setup board:: tests::properties)
            slow=(tests::rules tests::perft)
            ;;
        taratibu)
            files=('src/taratibu/position/*' src/taratibu/capture.rs 'src/taratibu/turn/*')
            quick=(taratibu:: tests::taratibu::)
            slow=(tests::taratibu)
            ;;
        bounds) files=('src/tanbo/exact/*') quick=(tanbo::exact) slow=(tests::solver) ;;
        *) refuse "unknown group \`$1\`; expected one of: ${all[*]}" ;;
    esac
}

make_crates() {
    make_crate target/mutants/small "" util cpu board clock lab/stats gtp/parse.rs
    make_crate target/mutants/games \
        "rules properties perft records certificate solver oracle taratibu taratibu_exact taratibu_wins" \
        util cpu board clock game.rs params eval network search solver variant tanbo taratibu games.rs engine.rs start
}

# run_mutants GROUP TEST...: judges the mutants of a group by these tests, and adds the outcomes to the results.
run_mutants() {
    local group=$1 status folder=$results/$1 options=()
    shift
    for path in "${files[@]}"; do options+=(--file "$path"); done
    mkdir -p "$folder"
    # Tests that fail anyway would catch every mutant.
    (cd "target/mutants/$crate" && cargo test --quiet --lib -- "$@") >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        echo "mutants.sh: the tests of \`$group\` fail without a mutation" >&2
        exit 1
    }
    # Status 2: some mutants survive; 3: some time out.
    (cd "target/mutants/$crate" && cargo mutants --in-place --iterate --baseline skip --timeout 60 --no-shuffle \
        --colors never --cap-lints false --sharding round-robin --shard "$shard" --output "$folder" \
        --exclude src/tanbo/certificate/write.rs --exclude '**/tests.rs' "${options[@]}" --cargo-arg=--lib -- -- "$@") \
        >"$folder/log" 2>&1 || [[ $? =~ ^[23]$ ]] || { cat "$folder/log" >&2; exit 1; }
    for status in caught unviable timeout missed; do
        sed "s/^/$status\t/" "$folder/mutants.out/$status.txt"
    done >>"$folder/outcomes.tsv"
}

# Prints a line of the table; the last outcome of a mutant counts.
report() {
    local group=$1 options=() folder=$results/$1
    for path in "${files[@]}"; do options+=(--file "$path"); done
    (cd "target/mutants/$crate" && cargo mutants --list --exclude src/tanbo/certificate/write.rs \
        --exclude '**/tests.rs' "${options[@]}") >"$folder/all.txt"
    awk -F '\t' -v group="$group" -v missed="$folder/missed.txt" '
        FILENAME == ARGV[1] { if ($0 !~ /^#/ && NF) why[$1] = $2; next }
        FILENAME == ARGV[2] { all[$0]; total++; next }
        $2 in all { last[$2] = $1 }
        # Without its line and column, so that the list survives changes above it.
        function name(mutant) { sub(/:[0-9]+:[0-9]+: /, ": ", mutant); return mutant }
        END {
            printf "" >missed
            for (mutant in last) {
                status = last[mutant]
                if (status == "missed" && name(mutant) in why) status = "explained"
                count[status]++; judged++
                if (status == "missed") print mutant | ("sort >\"" missed "\"")
            }
            viable = judged - count["unviable"]
            share = viable ? sprintf("%.1f %%", 100 * (count["caught"] + count["timeout"]) / viable) : "-"
            printf "%-13s %5d %7d %7d %8d %9d %7d %10s %s\n", group, total, judged, count["caught"], count["timeout"],
                count["unviable"], count["missed"], count["explained"] + 0, share
        }' "$explained" "$folder/all.txt" "$folder/outcomes.tsv"
    [ ! -s "$folder/missed.txt" ]
}

shard=0/1 results=target/mutants/results only_report=false groups=()
while [ $# -gt 0 ]; do
    case $1 in
        --shard | --results)
            [ $# -gt 1 ] || refuse "\`$1\` needs a value"
            if [ "$1" = --shard ]; then shard=$2; else results=$2; fi
            shift
            ;;
        --report) only_report=true ;;
        -*) refuse "unexpected argument \`$1\`; \`--help\` lists the options" ;;
        *) describe "$1" && groups+=("$1") ;;
    esac
    shift
done
[[ $shard =~ ^[0-9]+/[1-9][0-9]*$ ]] || refuse "invalid value \`$shard\` for \`--shard\`: expected K/N, such as 0/10"
[ ${#groups[@]} -gt 0 ] || groups=("${all[@]}")
PATH=$PWD/target/tools/bin:$PATH
command -v cargo-mutants >/dev/null ||
    refuse "there is no \`cargo-mutants\`; cargo install --locked --root target/tools cargo-mutants"
mkdir -p "$results"
results=$(cd "$results" && pwd)
export CARGO_TARGET_DIR=$PWD/target/mutants/build

make_crates
good=true
printf '%-13s %5s %7s %7s %8s %9s %7s %10s %s\n' \
    group all judged caught timeouts unviable missed explained share
for group in "${groups[@]}"; do
    describe "$group"
    if ! $only_report; then
        run_mutants "$group" "${quick[@]}"
        if [ ${#slow[@]} -gt 0 ] && [ -s "$results/$group/mutants.out/missed.txt" ]; then
            run_mutants "$group" "${quick[@]}" "${slow[@]}"
        fi
    fi
    [ -f "$results/$group/outcomes.tsv" ] || continue
    report "$group" || good=false
done
$good
