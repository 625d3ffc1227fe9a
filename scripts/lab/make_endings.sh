#!/usr/bin/env bash
# Generates the endgame suites of the bench and the tests, tests/data/endings/10.txt, 20.txt and 24.txt: 180 positions
# with 10 playable points, and 1,000 each with 20 and 24. One third each comes from self-play games on 6x6 corners, 7x7
# corners and 9x9 classic; the exact solver determines the winners.
#
# Usage: scripts/lab/make_endings.sh [--concurrency 1] [--folder tests/data/endings]
#
#   --concurrency N    games played at the same time [1]
#   --folder FOLDER    folder for the files [tests/data/endings]
#
# The same program generates the same files. After a change of play the positions differ, and earlier measurements
# are no longer comparable. TANADA_BIN names a program to use instead of building this tree. This command solves a
# suite with one thread and shows the time:
#
#     tanada endings --check tests/data/endings/20.txt
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
. scripts/lab/common.sh

concurrency=1 folder=tests/data/endings
while [ $# -gt 0 ]; do
    case $1 in
        --concurrency) concurrency=$(value "$@") ;;
        --folder)
            folder=$(value "$@")
            folder=$(from_caller "$folder")
            ;;
        *) refuse "unexpected argument \`$1\`" ;;
    esac
    shift 2
done
whole --concurrency "$concurrency" 1
program=$(this_build)
mkdir -p "$folder"
part=$(mktemp)
trap 'rm -f "$part"' EXIT

# Prints endings: endings POINTS SIZE SETUP COUNT.
endings() {
    "$program" endings --points "$1" --size "$2" --setup "$3" --count "$4" --plies 6 \
        --concurrency "$concurrency"
}

# Makes a suite: suite POINTS COUNT.
suite() {
    {
        endings "$1" 6 corners $(($2 - 2 * ($2 / 3)))
        endings "$1" 7 corners $(($2 / 3))
        endings "$1" 9 classic $(($2 / 3))
    } >"$part"
    cat "$part" >"$folder/$1.txt"
    echo "$folder/$1.txt: $(grep -vc '^#' "$part") endings"
}

suite 10 180
suite 20 1000
suite 24 1000
