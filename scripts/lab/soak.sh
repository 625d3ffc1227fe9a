#!/usr/bin/env bash
# A long check of the rules: plays matches on every size and setup, also with three and four
# players, and replays every game with the naive oracle of the tests, which checks each
# ply and the winner.
# Usage: scripts/lab/soak.sh [--boards "7d 9 19x4"] [--pairs 5] [--iterations 30 | --time-per-move S]
#            [--threads 1] [--seed 1] [--concurrency 1] [--records DIR]
#
#   --boards BOARDS      the boards, with a match on each
#   --pairs N            pairs of games a match
#   --iterations N       iterations a move
#   --time-per-move S    seconds a move, in place of iterations
#   --threads N          threads of each side
#   --seed N             seed of the matches
#   --concurrency N      games side by side
#   --records DIR        where the records are kept, a new folder
#
# A board is a size, with `d` for the dense setup, `c` for corners, `x3` or `x4` for three or four players; all of
# them without --boards. `linear` meets `playout`, so that the games are both sensible and wild. Some minutes; --pairs and
# --seed make it longer, and other games. The records are kept in DIR, or, without --records, only
# if something is wrong. TANADA_BIN names a program to take in place of building this tree. Exit
# status: 0 if all is right, 1 if not, 2 for wrong arguments.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
. scripts/lab/common.sh

boards=$(for size in {4..21}; do echo "${size}c"; done) # corners, on every size
boards+=" 7d 11d 15d 19d 9 13 19 21 9x3 13x3 19x3 9x4 13x4 19x4"
pairs=5 threads=1
while [ $# -gt 0 ]; do
    case $1 in
        --threads) threads=$(value "$@") ;;
        *) match_option "$@" ;;
    esac
    shift 2
done
check_match "--iterations 30"
whole --threads "$threads" 1
[ ! -e "$records" ] || refuse "\`$records\` is there already, expected a new folder"
command -v cargo >/dev/null 2>&1 || refuse "\`cargo\` is missing; the oracle needs a Rust toolchain"
kept=$records
if [ -z "$records" ]; then records=$(mktemp -d); fi
mkdir -p "$records"
records=$(cd "$records" && pwd)

binary=$(this_build)
for board in $boards; do
    play_board "$board" "$binary" --engine "name=linear,preset=linear,threads=$threads" \
        --engine "name=playout,preset=playout,threads=$threads" 2>"$records/$board.err" || {
        cat "$records/$board.err" >&2
        echo "$script: the match on $board failed; what there is, is in $records" >&2
        exit 1
    }
    echo "$board: $(sed -n 's/^First to move won: //p' "$records/$board/report.txt")"
done
# What a game leaves behind is a line of games.jsonl.
if ! TANADA_RECORDS="$records" cargo test --locked --quiet --test tests -- \
    --ignored --nocapture --exact replay::replay_records; then
    echo "$script: the oracle disagrees; the records are in $records" >&2
    exit 1
fi
if [ -z "$kept" ]; then rm -rf "$records"; fi
