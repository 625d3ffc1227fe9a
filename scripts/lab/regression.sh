#!/usr/bin/env bash
# Is this tree stronger than another revision, or at least no weaker? Builds both, and
# plays a sequential test (SPRT) between them as GTP programs on each board.
# Usage: scripts/lab/regression.sh [--base REV] [--elo0 0] [--elo1 10] [--pairs 500]
#            [--boards "9 13 7d 11d 19"] [--time-per-move 0.1 | --iterations N]
#            [--seed 1] [--concurrency 1] [--records DIR]
#
#   --base REV           the other revision
#   --elo0 X, --elo1 X   the two differences in Elo that the test decides between
#   --pairs N            pairs of games at most
#   --boards BOARDS      the boards, with a test on each
#   --time-per-move S    seconds a move
#   --iterations N       iterations a move, in place of a time
#   --seed N             seed of the matches
#   --concurrency N      games side by side
#   --records DIR        where the programs and the games are kept
#
# REV is any revision of this clone (default: HEAD, that is, what is not committed yet is tested).
# `--elo0 0 --elo1 10` asks for a gain, `--elo0 -10 --elo1 0` for no loss. A board is a size, with
# `d` for the dense setup or `c` for corners. Prints one line a board: what the test accepted, its
# LLR, the Elo difference, the games. With --records the programs and all games are kept in DIR,
# and the same command goes on there, with the programs that are kept, where it was stopped; it
# refuses if the base or the tree is another one by now.
# TANADA_BIN and TANADA_BASE_BIN name programs to take in place of building this tree and REV.
#
# Exit status: 0 if on every board H1 was accepted, or the pairs ran out with an LLR of 0 or
# above; 1 if on some board H0 was accepted, or the pairs ran out with an LLR below 0; 2 wrong
# arguments, or something did not run.
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
    [[ $bound =~ ^-?[0-9]+(\.[0-9]+)?$ ]] || refuse "\`$bound\` is no difference in Elo"
done
awk -v a="$elo0" -v b="$elo1" 'BEGIN { exit !(a + 0 < b + 0) }' ||
    refuse "\`$elo0\` and \`$elo1\` bound no test, expected \`--elo0\` below \`--elo1\`"
commit=$(git rev-parse --verify --quiet --end-of-options "$base^{commit}") ||
    refuse "\`$base\` is no revision of this clone"

# What the two programs are built from, a line each.
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
    echo "$script: going on with the programs in $records/bin" >&2
else
    if [ -z "${TANADA_BIN:-}" ]; then built=$(this_build) || exit 2; fi
    if [ -n "${TANADA_BASE_BIN:-}" ]; then
        cp "$built_base" "$old"
    else
        (revision_build "$base" "$old") || exit 2
    fi
    cp "$built" "$new"
    # Last: with it the programs are whole.
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
