#!/usr/bin/env bash
# Tests whether this tree is stronger than another revision, or at least not weaker. Builds both and plays a sequential
# probability ratio test (SPRT) between them on each board.
# Usage: scripts/lab/regression.sh [--base REV] [--elo0 0] [--elo1 10] [--pairs 500]
#            [--boards "9 13 7d 11d 19"] [--time-per-move 0.1 | --iterations N]
#            [--seed 1] [--concurrency 1] [--records DIR]
#
#   --base REV           revision to compare with [HEAD, which tests uncommitted changes]
#   --elo0 X, --elo1 X   Elo differences of the hypotheses H0 and H1 [0, 10]
#   --pairs N            highest number of pairs of games on a board [500]
#   --boards BOARDS      boards; each has its own test ["9 13 7d 11d 19"]
#   --time-per-move S    seconds per move [0.1]
#   --iterations N       iterations per move, instead of a time
#   --seed N             seed of the matches [1]
#   --concurrency N      games played at the same time [1]
#   --records DIR        folder that keeps the programs and the games
#
# `--elo0 0 --elo1 10` tests for a gain, `--elo0 -10 --elo1 0` for no loss. A board is a size, followed by `d` for the
# dense setup or `c` for corners. Prints one line for each board: the accepted hypothesis, the log-likelihood ratio
# (LLR), the Elo difference and the games. With --records, the same command resumes a test that was stopped, with the
# programs in DIR; it refuses if the base or this tree has changed since.
# TANADA_BIN and TANADA_BASE_BIN name programs to use instead of building this tree and REV.
#
# Exit status: 0 every board accepted H1, or ran out of pairs with an LLR of at least 0; 1 some board accepted H0, or
# ran out of pairs with an LLR below 0; 2 wrong arguments, or a program failed.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
. scripts/lab/common.sh

base=HEAD elo0=0 elo1=10 pairs=500
while [ $# -gt 0 ]; do
    case $1 in
        --base) base=$(value "$@") ;;
        --elo0) elo0=$(value "$@") ;;
        --elo1) elo1=$(value "$@") ;;
        *) match_option "$@" ;;
    esac
    shift 2
done
check_match "--time-per-move 0.1"
for bound in "$elo0" "$elo1"; do
    [[ $bound =~ ^-?[0-9]+(\.[0-9]+)?$ ]] || refuse "invalid Elo difference \`$bound\`: expected a number"
done
awk -v a="$elo0" -v b="$elo1" 'BEGIN { exit !(a + 0 < b + 0) }' ||
    refuse "\`--elo0\` must be below \`--elo1\`, but $elo0 is not below $elo1"
commit=$(git rev-parse --verify --quiet --end-of-options "$base^{commit}") ||
    refuse "this clone has no revision \`$base\`"

# Identifies the sources of the two programs, one line each.
origins() {
    local base_origin="commit $commit" tree
    if [ -n "${TANADA_BASE_BIN:-}" ]; then
        base_origin=$(program_origin TANADA_BASE_BIN "$TANADA_BASE_BIN") || exit 2
    fi
    tree=$(tree_origin) || exit 2
    printf 'base: %s\ntree: %s\n' "$base_origin" "$tree"
}

match_folder
new=$records/bin/tanada-new old=$records/bin/tanada-base from=$records/bin/built-from.txt
if [ -n "${TANADA_BIN:-}" ]; then built=$(ready TANADA_BIN "$TANADA_BIN"); fi
if [ -n "${TANADA_BASE_BIN:-}" ]; then built_base=$(ready TANADA_BASE_BIN "$TANADA_BASE_BIN"); fi
now=$(origins) || exit 2
same_origins "$records" "$now"
if [ -f "$from" ]; then
    echo "$script: resuming with the programs in $records/bin" >&2
else
    if [ -z "${TANADA_BIN:-}" ]; then built=$(this_build) || exit 2; fi
    if [ -n "${TANADA_BASE_BIN:-}" ]; then
        cp "$built_base" "$old"
    else
        (revision_build "$base" "$old") || exit 2
    fi
    cp "$built" "$new"
    # Written last: this file says that the programs are complete.
    echo "$now" >"$from"
fi

status=0
for board in $boards; do
    play_board "$board" "$new" --sprt "elo0=$elo0 elo1=$elo1" \
        --engine "$(program new "$new")" --engine "$(program base "$old")" || exit 2
    line=$(awk '
        /^Elo:/ { elo = $2 " +/- " $4; sub(/,$/, "", elo) }
        /^LLR:/ { llr = $2 }
        /^Games:/ { games = $2 + 0; wins = $4 + 0 }
        /^Ends:/ { ends = substr($0, 7) }
        /^SPRT .* completed/ { accepted = $(NF - 2) }
        END {
            verdict = accepted != "" ? accepted " accepted" : "undecided"
            other = ends ~ /^normal [0-9]+$/ ? "" : "  ends: " ends
            printf "%-12s LLR %6.2f  Elo %s  won %d of %d games%s\n", verdict, llr, elo, wins, games, other
            exit accepted == "H0" || (accepted == "" && llr < 0)
        }' "$records/$board/report.txt") || status=1
    printf '%-4s %s\n' "$board" "$line"
done
exit $status
