#!/usr/bin/env bash
# Changes the source in small ways, one at a time, and checks whether the tests notice (cargo-mutants).
# Usage: scripts/hard/mutants.sh [--shard K/N] [--results DIR] [--report] [GROUP...]
#
#   GROUP            parser, clocks, statistics, certificates, records, rules, taratibu, bounds [all]
#   --shard K/N      only every Nth mutant, from the Kth, which counts from 0 [0/1]
#   --results DIR    folder that later runs add to [target/mutants/results]
#   --report         only print what the folder holds
#
# The tests run in a small crate of the modules that they need, below target/mutants. scripts/hard/schemata.py compiles
# nearly all mutants of a crate at once; cargo-mutants compiles the rest one by one: those in constants, and functions
# that return `impl Trait`. Mutants that were caught before are not run again, so a run can be stopped and continued, or
# split by --shard. scripts/hard/mutants-explained.txt lists the mutants that no test can catch, with the reason.
#
# Needs cargo-mutants: cargo install --locked --root target/tools cargo-mutants
# Needs Linux, Python 3.10 and two packages: pip install tree-sitter tree-sitter-rust
#
# Exit status: 0 every judged mutant is caught or explained, 1 some are missed, 2 wrong arguments, 3 a group has no
# results.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
. scripts/hard/crate.sh
explained=scripts/hard/mutants-explained.txt
all=(parser clocks statistics certificates records rules taratibu bounds)
# The writer of certificates is no part of their verifier.
exclude=(--exclude src/tanbo/certificate/write.rs --exclude '**/tests.rs')

refuse() {
    echo "mutants.sh: $1" >&2
    exit 2
}

# Sets what a group is: its crate, its files, and the tests for the mutants that are compiled one by one.
describe() {
    crate=games
    case $1 in
        parser) crate=small files=(src/gtp/parse.rs) tests=(gtp::) ;;
        clocks) crate=small files=('src/clock/*') tests=(clock::) ;;
        statistics) crate=small files=('src/lab/stats/*' src/util/wilson.rs) tests=(stats:: util::wilson) ;;
        certificates)
            files=('src/tanbo/certificate/*')
            tests=(tanbo::certificate tests::certificate)
            ;;
        records) files=('src/tanbo/sgf/*') tests=(tanbo::sgf tests::records) ;;
        rules)
            files=('src/tanbo/position/*' src/tanbo/line.rs src/tanbo/setup.rs src/board/set.rs)
            tests=(tanbo::position tanbo::line tanbo::setup board:: tests::rules)
            ;;
        taratibu)
            files=('src/taratibu/position/*' src/taratibu/capture.rs 'src/taratibu/turn/*')
            tests=(taratibu:: tests::taratibu::)
            ;;
        bounds) files=('src/tanbo/exact/*') tests=(tanbo::exact tests::solver) ;;
        *) refuse "unknown group \`$1\`; expected one of: ${all[*]}" ;;
    esac
}

make_crates() {
    make_crate target/mutants/small "" util cpu board clock lab/stats gtp/parse.rs
    make_crate target/mutants/games \
        "rules properties perft records certificate solver oracle taratibu taratibu_exact taratibu_wins" \
        util cpu board clock game.rs params eval network search solver variant tanbo taratibu games.rs engine.rs start
}

# Judges the mutants of all groups that stand in a crate, as far as they compile together.
run_together() {
    local folder=target/mutants/$1-together arguments=() group modules=
    rm -rf "$folder"
    cp -r "target/mutants/$1" "$folder"
    # The tests of the search play for minutes and judge hardly anything that these do not.
    [ "$1" = small ] || modules=board::,tanbo::,taratibu::,tests::
    shift
    for group; do
        describe "$group"
        arguments+=("$group=$(IFS=,; echo "${files[*]}")")
    done
    CARGO_TARGET_DIR=$PWD/target/mutants/build-together \
        python3 scripts/hard/schemata.py "$folder" "$results" "${arguments[@]}" --shard "$shard" \
        --tests "$modules" --explained "$explained" -- "${exclude[@]}"
}

# Judges the mutants of a group that are left, by its tests, and adds the outcomes to the results.
run_alone() {
    local group=$1 status folder=$results/$1 options=()
    [ -s "$folder/left.txt" ] || return 0
    for path in "${files[@]}"; do options+=(--file "$path"); done
    # Tests that fail anyway would catch every mutant.
    (cd "target/mutants/$crate" && cargo test --quiet --lib -- "${tests[@]}") >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        echo "mutants.sh: the tests of \`$group\` fail without a mutation" >&2
        exit 1
    }
    # `--iterate` skips what caught.txt of the last run lists. Status 2: some mutants survive; 3: some time out.
    rm -rf "$folder/mutants.out"
    mkdir "$folder/mutants.out"
    cp "$folder/skip.txt" "$folder/mutants.out/caught.txt"
    (cd "target/mutants/$crate" && cargo mutants --in-place --iterate --baseline skip --timeout 60 --no-shuffle \
        --colors never --cap-lints false --output "$folder" "${exclude[@]}" "${options[@]}" --cargo-arg=--lib -- -- \
        "${tests[@]}") >"$folder/log" 2>&1 || [[ $? =~ ^[23]$ ]] || { cat "$folder/log" >&2; exit 1; }
    for status in caught unviable timeout missed; do
        sed "s/^/$status\t/" "$folder/mutants.out/$status.txt"
    done >>"$folder/outcomes.tsv"
}

# Prints a line of the table; the last outcome of a mutant counts.
report() {
    local group=$1 options=() folder=$results/$1
    for path in "${files[@]}"; do options+=(--file "$path"); done
    (cd "target/mutants/$crate" && cargo mutants --list "${exclude[@]}" "${options[@]}") >"$folder/all.txt"
    sort -t : -k 1,1 -k 2,2n -k 3,3n -o "$folder/all.txt" "$folder/all.txt"
    awk -F '\t' -v group="$group" -v missed="$folder/missed.txt" '
        FILENAME == ARGV[1] { if ($0 !~ /^#/ && NF) explain($1); next }
        FILENAME == ARGV[2] { all[$0] = number($0); total++; next }
        $2 in all { last[$2] = $1 }
        # Each of `TEXT #1,3` as `TEXT #1` and `TEXT #3`.
        function explain(line,   count, numbers, i) {
            match(line, / #[0-9,]+$/)
            count = split(substr(line, RSTART + 2), numbers, ",")
            for (i = 1; i <= count; i++) explained[substr(line, 1, RSTART - 1) " #" numbers[i]]
        }
        # A mutant without its line and column, but numbered among its equals, so the list survives changes above it.
        function number(mutant) {
            sub(/:[0-9]+:[0-9]+: /, ": ", mutant)
            return mutant " #" ++equal[mutant]
        }
        END {
            printf "" >missed
            for (mutant in last) {
                status = last[mutant]
                if (status == "missed" && all[mutant] in explained) status = "explained"
                count[status]++; judged++
                if (status == "missed") print mutant | ("sort >\"" missed "\"")
            }
            viable = judged - count["unviable"]
            share = viable ? sprintf("%.2f %%", 100 * (count["caught"] + count["timeout"]) / viable) : "-"
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
$only_report || python3 -c 'import tree_sitter, tree_sitter_rust' 2>/dev/null ||
    refuse "Python lacks two packages; pip install tree-sitter tree-sitter-rust"
mkdir -p "$results"
results=$(cd "$results" && pwd)
export CARGO_TARGET_DIR=$PWD/target/mutants/build

make_crates
if ! $only_report; then
    for built in small games; do
        chosen=()
        for group in "${groups[@]}"; do
            describe "$group"
            if [ "$crate" = "$built" ]; then chosen+=("$group"); fi
        done
        [ ${#chosen[@]} -eq 0 ] || run_together "$built" "${chosen[@]}"
    done
fi
status=0 lacking=false
printf '%-13s %5s %7s %7s %8s %9s %7s %10s %s\n' \
    group all judged caught timeouts unviable missed explained share
for group in "${groups[@]}"; do
    describe "$group"
    $only_report || run_alone "$group"
    if [ -s "$results/$group/outcomes.tsv" ]; then
        report "$group" || status=1
    else
        echo "mutants.sh: there are no results of \`$group\` in $results" >&2
        lacking=true
    fi
done
if $lacking; then status=3; fi
exit "$status"
