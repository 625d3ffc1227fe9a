#!/usr/bin/env bash
# How strong this tree is against the frozen generations (scripts/generations.txt): a
# gauntlet on each board, and one table in Markdown. Builds what is not built.
# Usage: scripts/gauntlet.sh [--generations "gen0 gen1"] [--boards "9 13 7d 11d 19"] [--pairs 50]
#            [--time-per-move 0.1 | --iterations N] [--seed 1] [--concurrency 1] [--records DIR]
#
# All generations are met unless some are named. A board is a size, with `d` for the dense setup or
# `c` for corners. With --records the games are kept in DIR, this tree's program too, and the same
# command goes on there where it was stopped. TANADA_BIN names a program to take in place of
# building this tree, TANADA_GENERATIONS a folder of generations built before.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
. scripts/common.sh

generations=$(generation_names) boards="9 13 7d 11d 19" pairs=50 seed=1 concurrency=1
limit="" records=""
while [ $# -gt 0 ]; do
    given=$(value "$1" "$@")
    case $1 in
        --generations) generations=$given ;;
        --boards) boards=$given ;;
        --pairs) pairs=$given ;;
        --time-per-move | --iterations)
            [ -z "$limit" ] || refuse "two limits, expected one of \`--time-per-move\` and \`--iterations\`"
            limit="$1 $given"
            ;;
        --seed) seed=$given ;;
        --concurrency) concurrency=$given ;;
        --records) records=$given ;;
        *) refuse "unknown option \`$1\`" ;;
    esac
    shift 2
done
whole --pairs "$pairs" 1
whole --concurrency "$concurrency" 1
whole --seed "$seed" 0
limit=$(limit_flags "${limit:---time-per-move 0.1}")
for board in $boards; do
    board_flags "$board" >/dev/null
done
[ -n "$boards" ] || refuse "no boards"
[ -n "$generations" ] || refuse "no generations"
for name in $generations; do
    generation_names | grep -qxF -- "$name" ||
        refuse "unknown generation \`$name\`, expected some of: $(generation_names | paste -sd ' ' -)"
done

if [ -z "$records" ]; then
    records=$(mktemp -d)
    trap 'rm -rf "$records"' EXIT
fi
mkdir -p "$records/bin"
records=$(cd "$records" && pwd)
for name in $generations; do
    if [ ! -x "$records/bin/tanada-$name" ]; then
        built=$(generation "$name")
        cp "$built" "$records/bin/tanada-$name"
    fi
done
if [ ! -x "$records/bin/tanada-new" ]; then
    built=$(this_build)
    cp "$built" "$records/bin/tanada-new"
fi

engines=()
for name in new $generations; do
    engines+=(--engine "$(program "$name" "$records/bin/tanada-$name")")
done
echo "| board | against | games won | score | 95 % | Elo |"
echo "|---|---|---|---|---|---|"
for board in $boards; do
    read -ra flags <<<"$(board_flags "$board")"
    read -ra limits <<<"$limit"
    folder=$records/$board
    resume=()
    if [ -f "$folder/match.json" ]; then resume=(--resume); fi
    "$records/bin/tanada-new" match "${flags[@]}" "${limits[@]}" --format gauntlet --pairs "$pairs" \
        --seed "$seed" --concurrency "$concurrency" --rating-interval 0 --records "$folder" \
        ${resume[@]+"${resume[@]}"} "${engines[@]}" >/dev/null
    # Score of new vs gen0: 3 - 1 - 0  [0.750] 4
    awk -v board="$board" '
        function elo(score) {
            if (score <= 0) return "-inf"
            if (score >= 1) return "inf"
            return sprintf("%+.0f", 400 * log(score / (1 - score)) / log(10))
        }
        /^Score of new vs / {
            name = $5; sub(/:$/, "", name)
            wins = $6; games = $6 + $8; z = 1.959964
            p = wins / games; n = games
            middle = (p + z * z / (2 * n)) / (1 + z * z / n)
            half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
            printf "| %s | %s | %d of %d | %.1f %% | %.0f to %.0f %% | %s (%s to %s) |\n", board, name, wins, games,
                100 * p, 100 * (middle - half), 100 * (middle + half), elo(p), elo(middle - half), elo(middle + half)
        }
        /^Ends:/ && !/^Ends: normal [0-9]+$/ { print "  " board ": " $0 > "/dev/stderr" }' "$folder/report.txt"
done
