#!/usr/bin/env bash
# Measures how much faster `tanada analysis` answers a batch of queries when it searches two positions at once.
#
# Usage: scripts/lab/analysis_throughput.sh [--queries 40] [--visits 20000] [--size 9] [--rounds 7]
#            [--positions 2] [--threshold 1.8]
#
#   --queries N      positions in the batch [40]
#   --visits N       visits of each search [20000]
#   --size N         board size [9]
#   --rounds N       runs with and without parallel searches [7]
#   --positions N    positions searched at once in the parallel run [2]
#   --threshold X    lowest acceptable median ratio [1.8]
#
# The batch holds the positions of one game. Each round answers it twice, with one search thread for each position:
# with `--analysis-threads 1` and with `--analysis-threads 2` (or --positions). The two runs of a round are compared
# with each other, in alternating order, because the machine's load changes over time; the median ratio counts. Both
# must give the same answers. Each line shows the load before the round, because two positions cannot be faster than
# one while another program uses the second core.
#
# TANADA_BIN names a program to measure instead of building this tree.
#
# Exit status: 0 passed, 1 the median is below the threshold or the answers differ, 2 wrong arguments, or a program failed.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lab/common.sh
. scripts/lab/common.sh

queries=40 visits=20000 size=9 rounds=7 positions=2 threshold=1.8
while [ $# -gt 0 ]; do
    case $1 in
        --queries) queries=$(whole_value 1 "$@") ;;
        --visits) visits=$(whole_value 1 "$@") ;;
        --size) size=$(whole_value 4 "$@") ;;
        --rounds) rounds=$(whole_value 1 "$@") ;;
        --positions) positions=$(whole_value 1 "$@") ;;
        --threshold)
            text=$(value "$@")
            [[ $text =~ ^[0-9]+(\.[0-9]+)?$ ]] || refuse "invalid value \`$text\` for \`$1\`: expected a number such as 1.8"
            threshold=$text
            ;;
        *) refuse "unexpected argument \`$1\`" ;;
    esac
    shift 2
done

program=$(this_build)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints the moves of a quick game; its positions range from the opening to the end.
moves() {
    {
        for ((number = 0; number < queries; number++)); do
            echo "genmove $([ $((number % 2)) = 0 ] && echo b || echo w)"
        done
        # Without `quit` the program would drop unanswered commands at the end of its input.
        echo quit
    } | "$program" gtp --size "$size" --threads 1 --seed 1 --iterations 50 2>/dev/null |
        sed -n 's/^= *\([A-Z][0-9]*\)$/\1/p'
}
list="" number=0
while read -r vertex; do
    colour=B
    if [ $((number % 2)) = 1 ]; then colour=W; fi
    list+="${list:+,}[\"$colour\",\"$vertex\"]"
    number=$((number + 1))
done < <(moves)
[ "$number" -gt 0 ] || refuse "the program played no move"
# A short game has fewer positions than queries; they are then repeated.
for ((query = 0; query < queries; query++)); do
    echo "{\"id\":\"$query\",\"boardXSize\":$size,\"boardYSize\":$size,\"maxVisits\":$visits,\"moves\":[$list],\"analyzeTurns\":[$((query % number))]}"
done >"$folder/queries"

# Prints how many seconds the batch takes, and writes the answers to a file: seconds POSITIONS.
seconds() {
    local begin end
    begin=$(date +%s%N)
    "$program" analysis --analysis-threads "$1" --threads 1 --seed 1 <"$folder/queries" >"$folder/answers"
    end=$(date +%s%N)
    sort "$folder/answers" >"$folder/answers.$1"
    [ "$(grep -c rootInfo "$folder/answers")" = "$queries" ] || refuse "not every query was answered"
    awk -v n="$((end - begin))" 'BEGIN { printf "%.3f", n / 1e9 }'
}

echo "$queries queries of $visits visits on ${size}x$size: $positions positions at once and one at a time"
echo "cores: $(nproc), program: $program"
echo
printf '%5s  %8s  %8s  %6s  %s\n' round one "$positions" ratio load
rows=""
for ((round = 1; round <= rounds; round++)); do
    load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown)
    if ((round % 2 == 1)); then
        one=$(seconds 1)
        two=$(seconds "$positions")
    else
        two=$(seconds "$positions")
        one=$(seconds 1)
    fi
    if [ "$positions" != 1 ] && ! cmp -s "$folder/answers.1" "$folder/answers.$positions"; then
        echo "$script: the answers of $positions positions at once differ from those of one at a time" >&2
        exit 1
    fi
    ratio=$(awk -v a="$one" -v b="$two" 'BEGIN { printf "%.3f", a / b }')
    printf '%5d  %8s  %8s  %6s  %s\n' "$round" "$one" "$two" "$ratio" "$load"
    rows+="$ratio"$'\n'
done
printf '%s' "$rows" | sort -n | awk -v threshold="$threshold" '
    { x[NR] = $1 }
    END {
        median = (x[int((NR + 1) / 2)] + x[int((NR + 2) / 2)]) / 2
        printf "\nmedian ratio %.3f (%.3f to %.3f)%s\n", median, x[1], x[NR], median < threshold ? ", below " threshold : ""
        exit median < threshold
    }'
