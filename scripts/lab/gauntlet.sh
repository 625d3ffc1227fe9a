#!/usr/bin/env bash
# Measures the strength of this tree against older generations (scripts/lab/generations.txt): plays a gauntlet on each
# board and prints a table in Markdown. Builds every program that is not built yet.
# Usage: scripts/lab/gauntlet.sh [--generations "gen0 gen1"] [--boards "9 13 7d 11d 19"] [--pairs 50]
#            [--time-per-move 0.1 | --iterations N] [--seed 1] [--concurrency 1] [--records DIR]
#
#   --generations NAMES  opponents [all generations]
#   --boards BOARDS      boards; each has its own gauntlet ["9 13 7d 11d 19"]
#   --pairs N            pairs of games against each generation [50]
#   --time-per-move S    seconds per move [0.1]
#   --iterations N       iterations per move, instead of a time
#   --seed N             seed of the matches [1]
#   --concurrency N      games played at the same time [1]
#   --records DIR        folder that keeps the games and the programs
#
# A board is a size, followed by `d` for the dense setup or `c` for corners. With --records, the same command resumes
# a gauntlet that was stopped; it refuses if this tree has changed since.
# TANADA_BIN names a program to use instead of building this tree, TANADA_GENERATIONS a folder with generations that
# are already built.
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
[ -n "$generations" ] || refuse "\`--generations\` names no generation"
for name in $generations; do
    generation_names | grep -qxF -- "$name" ||
        refuse "unknown generation \`$name\`, expected one of: $(generation_names | paste -sd ' ' -)"
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
# Written last: this file says that the programs are complete.
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
    # With only two engines, the report has the second line in two parts, before the first:
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
            print script ": the report on " board " has all figures for " rows + 0 " of " pairings + 0 " pairings only" > "/dev/stderr"
            exit 1
        }' "$records/$board/report.txt"
done
