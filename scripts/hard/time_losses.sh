#!/usr/bin/env bash
# Tests whether Tanada ever loses on time. Two processes play against each other, one game at a time; the match runner
# measures the time and allows an answer to be 50 ms late.
#
# Usage: scripts/hard/time_losses.sh [--quick | --short PAIRS] [--threads 1] [--seed 1] [--records FOLDER]
#
#   --quick            play four games instead of 220, to try the script
#   --short PAIRS      instead play so many pairs of games on 9x9 with 0.2 s + 0.005 s per move, for scripts/hard/soak.py
#   --threads N        threads of each side; 0 uses all cores [1]
#   --seed N           seed of the matches [1]
#   --records FOLDER   folder that keeps the games; a second run resumes there
#
# Plays 200 games on 9x9 with 1 s + 0.01 s per move, and 20 games on 19x19 with 10 s + 0.1 s per move, in about half
# an hour. TANADA_BIN names a program to use instead of building this tree.
#
# Exit status: 0 every game ended by the rules, 1 some game ended on time or in another way, 2 wrong arguments, or a
# match failed.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lab/common.sh
. scripts/lab/common.sh

margin=0.05
quick="" short="" threads=1 seed=1 records=""
while [ $# -gt 0 ]; do
    if [ "$1" = --quick ]; then
        quick=1
        shift
        continue
    fi
    case $1 in
        --short) short=$(whole_value 1 "$@") ;;
        --threads) threads=$(whole_value 0 "$@") ;;
        --seed) seed=$(whole_value 0 "$@") ;;
        --records)
            records=$(value "$@")
            records=$(from_caller "$records")
            ;;
        *) refuse "unexpected argument \`$1\`" ;;
    esac
    shift 2
done

kept=$records
program=$(this_build)
match_folder
if [ -n "$kept" ]; then
    # Games of another build must not count for this one.
    now=$(tree_origin)
    now="tree: $now"
    same_origins "$records" "$now"
    echo "$now" >"$records/bin/built-from.txt"
fi

engine() {
    printf '%s,threads=%s,margin=%s' "$(program "$1" "$program" | sed 's/,threads=1$//')" "$threads" "$margin"
}

# Plays one match and prints a line about its games: play SIZE CLOCK PAIRS.
status=0
play() {
    local size=$1 clock=$2 pairs=$3 folder resume=() games late normal least
    if [ -n "$quick" ]; then pairs=1; fi
    folder=$records/$size
    if [ -f "$folder/match.json" ]; then resume=(--resume); fi
    "$program" match --size "$size" --clock "$clock" --pairs "$pairs" --seed "$seed" --concurrency 1 \
        --rating-interval 0 --recover --records "$folder" ${resume[@]+"${resume[@]}"} \
        --engine "$(engine one)" --engine "$(engine two)" >/dev/null || refuse "the match on ${size}x$size failed"
    games=$(grep -c . "$folder/games.jsonl" || true)
    late=$(grep -c '"kind":"time"' "$folder/games.jsonl" || true)
    normal=$(grep -c '"kind":"normal"' "$folder/games.jsonl" || true)
    # The shortest time left on a clock after a move.
    least=$(grep -o '"left":[0-9.eE+-]*' "$folder/games.jsonl" | cut -d: -f2 | sort -g | sed -n 1p)
    echo "${size}x$size at $clock: $games games, $late lost on time, $((games - late - normal)) ended in another way; shortest time left ${least:-unknown} s"
    if [ "$normal" != "$games" ] || [ "$games" != $((2 * pairs)) ]; then
        status=1
        grep -v '"kind":"normal"' "$folder/games.jsonl" | grep -o '"game":[0-9]*\|"ending":"[^"]*"' || true
    fi
}

echo "margin $margin s, $threads threads on each side (0: all cores), $(nproc) cores, load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown)"
if [ -n "$short" ]; then
    play 9 0.2+0.005 "$short"
else
    play 9 1+0.01 100
    play 19 10+0.1 10
fi
exit $status
