#!/usr/bin/env bash
# How many more positions `tanada analysis` answers a second when it searches two at once.
#
# Usage: scripts/lab/analysis_throughput.sh [--queries 40] [--visits 20000] [--size 9] [--rounds 7]
#            [--positions 2] [--threshold 1.8]
#
#   --queries N      positions in the batch
#   --visits N       visits for each of them
#   --size N         side of the board
#   --rounds N       how often the batch is answered in each way
#   --positions N    how many positions the one way searches at once
#   --threshold X    the least median ratio that is fine
#
# One batch of queries, the turns of games from the setup of the size, each with the same number of
# visits, is answered with `--analysis-threads 2` and with `--analysis-threads 1`, one search thread a
# position. The two take turns, and at going first, round after round: the machine is never equally
# free, so the ratio of each round is one of neighbours in time, and the median of all rounds is what
# counts. The answers must be the same. The load of the machine before each round is printed, since
# two positions cannot be faster than one where somebody else has the second core.
#
# TANADA_BIN=path measures that program instead of building this tree.
#
# Exit status: 0 fine, 1 the median is below the threshold or answers differ, 2 something did not run.
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
            [[ $text =~ ^[0-9]+(\.[0-9]+)?$ ]] || refuse "invalid value \`$text\` for \`$1\`: expected a ratio"
            threshold=$text
            ;;
        *) refuse "unknown option \`$1\`" ;;
    esac
    shift 2
done

program=$(this_build)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The moves of a quick game, so that the positions are of all ages.
moves() {
    {
        for ((number = 0; number < queries; number++)); do
            echo "genmove $([ $((number % 2)) = 0 ] && echo b || echo w)"
        done
        # At the end of the input alone the program would drop what it has not answered.
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
[ "$number" -gt 0 ] || refuse "the program plays no game"
# A game may be over before there are enough turns; then they are asked for again.
for ((query = 0; query < queries; query++)); do
    echo "{\"id\":\"$query\",\"boardXSize\":$size,\"boardYSize\":$size,\"maxVisits\":$visits,\"moves\":[$list],\"analyzeTurns\":[$((query % number))]}"
done >"$folder/queries"

# seconds POSITIONS: how long the batch takes; the answers go to a file.
seconds() {
    local begin end
    begin=$(date +%s%N)
    "$program" analysis --analysis-threads "$1" --threads 1 --seed 1 <"$folder/queries" >"$folder/answers"
    end=$(date +%s%N)
    sort "$folder/answers" >"$folder/answers.$1"
    [ "$(grep -c rootInfo "$folder/answers")" = "$queries" ] || refuse "not every query was answered"
    awk -v n="$((end - begin))" 'BEGIN { printf "%.3f", n / 1e9 }'
}

echo "$queries queries of $visits visits on ${size}x$size, $positions positions at once against one after another"
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
        echo "$script: the answers of $positions positions at once are not those of one after another" >&2
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
