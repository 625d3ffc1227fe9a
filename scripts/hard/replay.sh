#!/usr/bin/env bash
# Tests the rules for several minutes: plays matches on every size and setup, also with three and four players, and
# replays each game with the oracle of the tests, a naive implementation that checks every ply and the winner.
# Usage: scripts/hard/replay.sh [--boards "7d 9 19x4"] [--pairs 5] [--iterations 30 | --time-per-move S]
#            [--threads 1] [--seed 1] [--concurrency 1] [--records DIR]
#
#   --boards BOARDS      boards; each has its own match [all]
#   --pairs N            pairs of games in a match [5]
#   --iterations N       iterations per move [30]
#   --time-per-move S    seconds per move, instead of iterations
#   --threads N          threads of each side [1]
#   --seed N             seed of the matches [1]
#   --concurrency N      games played at the same time [1]
#   --records DIR        new folder that keeps the records
#
# A board is a size, followed by `d` for the dense setup, `c` for corners, `x3` or `x4` for three or four players. The
# players use the presets `linear` and `playout`, whose games are both sensible and wild. Without --records, the
# records are kept only after a failure. TANADA_BIN names a program to use instead of building this tree.
#
# Exit status: 0 all games are right, 1 a game is wrong or a match failed, 2 wrong arguments.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lab/common.sh
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
[ ! -e "$records" ] || refuse "\`$records\` exists already; expected a new folder"
command -v cargo >/dev/null 2>&1 || refuse "there is no \`cargo\`; the oracle needs a Rust toolchain"
kept=$records
if [ -z "$records" ]; then records=$(mktemp -d); fi
mkdir -p "$records"
records=$(cd "$records" && pwd)

binary=$(this_build)
for board in $boards; do
    play_board "$board" "$binary" --engine "name=linear,preset=linear,threads=$threads" \
        --engine "name=playout,preset=playout,threads=$threads" 2>"$records/$board.err" || {
        cat "$records/$board.err" >&2
        echo "$script: the match on $board failed; its records are in $records" >&2
        exit 1
    }
    echo "$board: $(sed -n 's/^First to move won: //p' "$records/$board/report.txt")"
done
# The oracle reads each game from a line of games.jsonl.
if ! TANADA_RECORDS="$records" cargo test --locked --quiet --test tests -- \
    --ignored --nocapture --exact replay::replay_records; then
    echo "$script: the oracle disagrees; the records are in $records" >&2
    exit 1
fi
if [ -z "$kept" ]; then rm -rf "$records"; fi
