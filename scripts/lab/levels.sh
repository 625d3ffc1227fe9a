#!/usr/bin/env bash
# Measures the levels of play (`tanada params --format levels`): matches of neighbours and a round robin. Prints a table
# in Markdown for each board: Elo fitted to all these games, and how each level did against the one below it.
# Usage: scripts/lab/levels.sh [--boards "9 7d 13"] [--pairs 100] [--round-robin-pairs 10]
#            [--full-pairs 20] [--full-iterations 50000] [--seed 1] [--concurrency 1] [--records DIR]
#
#   --boards BOARDS        boards, each with openings in scripts/lab/openings ["9 7d 13"]
#   --pairs N              pairs of games between neighbours [100]
#   --round-robin-pairs N  pairs of games of each two levels in the round robin [10]
#   --full-pairs N         pairs of games of the level `full` against the one below [20]
#   --full-iterations N    iterations per move of the level `full`, which has no limit of its own [50000]
#   --seed N               seed of the matches [1]
#   --concurrency N        games played at the same time [1]
#   --records DIR          folder that keeps the games and the program
#
# The two strongest levels are too slow for the round robin. The weakest level has 0 Elo. A board is a size, followed by
# `d` for the dense setup. With --records, the same command resumes a run that was stopped; it refuses if this tree has
# changed since.
# TANADA_BIN names a program to use instead of building this tree.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
. scripts/lab/common.sh

boards="9 7d 13" pairs=100 round_robin_pairs=10 full_pairs=20 full_iterations=50000
while [ $# -gt 0 ]; do
    case $1 in
        --round-robin-pairs) round_robin_pairs=$(whole_value 1 "$@") ;;
        --full-pairs) full_pairs=$(whole_value 1 "$@") ;;
        --full-iterations) full_iterations=$(whole_value 1 "$@") ;;
        --time-per-move | --iterations) refuse "unexpected argument \`$1\`: the levels have their own limits" ;;
        *) match_option "$@" ;;
    esac
    shift 2
done
check_match "--iterations 1"
for board in $boards; do
    [ -f "scripts/lab/openings/$board.txt" ] || refuse "there are no openings for board \`$board\` in scripts/lab/openings"
done

match_folder
now=$(tree_origin)
now="tree: $now"
same_origins "$records" "$now"
if [ ! -x "$records/bin/tanada-new" ]; then
    built=$(this_build)
    keep "$built" "$records/bin/tanada-new"
fi
# Written last: this file says that the program is complete.
echo "$now" >"$records/bin/built-from.txt"

tanada=$records/bin/tanada-new
table=$("$tanada" params --format levels)
mapfile -t levels < <(awk 'NR > 1 { print $1 }' <<<"$table")
count=${#levels[@]}

# Prints the `--engine` of a level.
engine() {
    case $1 in
        full) echo "name=full,level=full,iterations=$full_iterations" ;;
        *) echo "name=$1,level=$1" ;;
    esac
}

# Plays a match of levels: play FOLDER BOARD PAIRS LEVEL...
folder=$records
play() {
    local name engines=() records=$folder/$1 board=$2 pairs=$3
    shift 3
    for name in "$@"; do engines+=(--engine "$(engine "$name")"); done
    play_board "$board" "$tanada" --openings "scripts/lab/openings/$board.txt" "${engines[@]}"
}

for board in $boards; do
    play round-robin "$board" "$round_robin_pairs" "${levels[@]:0:count-2}"
    for ((i = 1; i < count; i++)); do
        games=$pairs
        if [ "$i" -eq $((count - 1)) ]; then games=$full_pairs; fi
        play "${levels[i]}" "$board" "$games" "${levels[i]}" "${levels[i - 1]}"
    done
    reports=("$folder/round-robin/$board/report.txt")
    for ((i = 1; i < count; i++)); do reports+=("$folder/${levels[i]}/$board/report.txt"); done
    printf '\n**%s**\n\n' "$board"
    echo "| level | Elo | won against the level below | Elo difference | Wilson 95 % |"
    echo "|---|---|---|---|---|"
    awk -v names="${levels[*]}" '
        function elo(share) {
            return share <= 0 || share >= 1 ? "unknown" : sprintf("%.0f", 400 * log(share / (1 - share)) / log(10))
        }
        BEGIN { count = split(names, level, " ") }
        FNR == 1 { file++ }
        # Score of hard vs skilled: 152 - 48 - 0  [0.760] 200
        /^Score of / {
            one = $3; other = $5
            sub(/:$/, "", other)
            won[one] += $6 + $10 / 2; won[other] += $8 + $10 / 2
            played[one, other] += $NF; played[other, one] += $NF
            if (file > 1) { wins[file] = $6 + $10 / 2; games[file] = $NF }
        }
        # Wilson 95 %: 69.60 % to 81.40 %, 144 to 257 Elo
        file > 1 && /^Wilson 95 %: / { low[file] = $4 / 100; high[file] = $7 / 100 }
        # The Bradley-Terry model, fitted to all games (Hunter, "MM algorithms for generalized Bradley-Terry
        # models", 2004).
        function fit(    round, i, j, sum) {
            for (i = 1; i <= count; i++) strength[i] = 1
            for (round = 0; round < 5000; round++) {
                for (i = 1; i <= count; i++) {
                    sum = 0
                    for (j = 1; j <= count; j++)
                        if (j != i) sum += played[level[i], level[j]] / (strength[i] + strength[j])
                    strength[i] = won[level[i]] / sum
                }
                for (i = count; i >= 1; i--) strength[i] /= strength[1]
            }
        }
        END {
            for (i = 2; i <= count; i++) if (!(games[i] > 0) || !(i in low)) exit 1
            fit()
            for (i = 1; i <= count; i++) {
                rating = sprintf("%.0f", 400 * log(strength[i]) / log(10))
                if (i == 1) printf "| `%s` | %s | | | |\n", level[i], rating
                else printf "| `%s` | %s | %g of %d | %s | %s to %s |\n", level[i], rating, wins[i], games[i], elo(wins[i] / games[i]), elo(low[i]), elo(high[i])
            }
        }' "${reports[@]}" || refuse "a report on board $board is incomplete"
done
