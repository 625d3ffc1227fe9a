#!/usr/bin/env bash
# How strong this tree is against the frozen generations (scripts/lab/generations.txt): a
# gauntlet on each board, and one table in Markdown. Builds what is not built.
# Usage: scripts/lab/gauntlet.sh [--generations "gen0 gen1"] [--boards "9 13 7d 11d 19"] [--pairs 50]
#            [--time-per-move 0.1 | --iterations N] [--seed 1] [--concurrency 1] [--records DIR]
#
#   --generations NAMES  the generations to meet
#   --boards BOARDS      the boards, with a gauntlet on each
#   --pairs N            pairs of games against each generation
#   --time-per-move S    seconds a move
#   --iterations N       iterations a move, in place of a time
#   --seed N             seed of the matches
#   --concurrency N      games side by side
#   --records DIR        where the games are kept
#
# All generations are met unless some are named. A board is a size, with `d` for the dense setup or
# `c` for corners. With --records the games are kept in DIR, this tree's program too, and the same
# command goes on there where it was stopped; it refuses if the tree is another one by now.
# TANADA_BIN names a program to take in place of building this tree, TANADA_GENERATIONS a folder of
# generations built before.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
. scripts/lab/common.sh

generations=$(generation_names) pairs=50
while [ $# -gt 0 ]; do
    case $1 in
        --generations) generations=$(value "$@") ;;
        *) match_option "$@" ;;
    esac
    shift 2
done
check_match "--time-per-move 0.1"
[ -n "$generations" ] || refuse "no generations"
for name in $generations; do
    generation_names | grep -qxF -- "$name" ||
        refuse "unknown generation \`$name\`, expected some of: $(generation_names | paste -sd ' ' -)"
done

match_folder
now=$(tree_origin)
now="tree: $now"
same_origins "$records" "$now"
for name in $generations; do
    if [ ! -x "$records/bin/tanada-$name" ]; then
        built=$(generation "$name")
        keep "$built" "$records/bin/tanada-$name"
    fi
done
if [ ! -x "$records/bin/tanada-new" ]; then
    built=$(this_build)
    keep "$built" "$records/bin/tanada-new"
fi
# Last: with it the programs are whole.
echo "$now" >"$records/bin/built-from.txt"

engines=()
for name in new $generations; do
    engines+=(--engine "$(program "$name" "$records/bin/tanada-$name")")
done
echo "| board | against | games won | score | Wilson 95 % | Elo |"
echo "|---|---|---|---|---|---|"
for board in $boards; do
    play_board "$board" "$records/bin/tanada-new" --format gauntlet "${engines[@]}"
    # Score of new vs gen0: 3 - 1 - 0  [0.750] 4
    # Elo of new vs gen0: 190.85 +/- 180.12, Wilson 95 %: 30.06 % to 95.44 %
    # Of two engines the report has the second line in two parts, before the first:
    # Elo: 190.85 +/- 180.12, nElo: ... and Wilson 95 %: 30.06 % to 95.44 %, ...
    awk -v board="$board" -v script="$script" '
        function row() {
            if (name == "" || elo == "" || low == "") return
            printf "| %s | %s | %s | %s | %s to %s %% | %s |\n", board, name, won, score, low, high, elo
            rows++
            name = elo = low = ""
        }
        function elo_from(field) {
            elo = $field " +/- " $(field + 2)
            sub(/,$/, "", elo)
        }
        function wilson_from(field) { low = $field; high = $(field + 3) }
        /^Score of new vs / {
            pairings++
            name = $5; sub(/:$/, "", name)
            won = $6 " of " $NF
            score = $NF > 0 ? sprintf("%.1f %%", 100 * $6 / $NF) : "unknown"
            row()
        }
        /^Elo of new vs / { elo_from(6); wilson_from(12); row() }
        /^Elo: / { elo_from(2) }
        /^Wilson 95 %: / { wilson_from(4) }
        /^Ends:/ && !/^Ends: normal [0-9]+$/ { print "  " board ": " $0 > "/dev/stderr" }
        END {
            if (rows > 0 && rows == pairings) exit 0
            print script ": the report on " board " has " rows + 0 " of " pairings + 0 " pairings in full" > "/dev/stderr"
            exit 1
        }' "$records/$board/report.txt"
done
