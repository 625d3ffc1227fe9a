#!/usr/bin/env bash
# Makes the endings of the bench and of the tests, tests/data/endings/20.txt and 24.txt: 1,000 positions
# each with 20 and with 24 playable points, a third from 6x6 corners, 7x7 corners and 9x9 classic, by
# games of the engine against itself; the exact solver says who wins them.
#
# Usage: scripts/lab/make_endings.sh [--concurrency 1] [--folder tests/data/endings]
#
#   --concurrency N    games side by side
#   --folder FOLDER    where the two files go
#
# The same program makes the same files. A change of the play makes others: then they are as good, but
# numbers measured on the old ones are not those of the new. TANADA_BIN names a program in place of
# building it. Solve the positions and see how long it takes, one thread, with
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
        *) refuse "unknown option \`$1\`, expected --concurrency N or --folder FOLDER" ;;
    esac
    shift 2
done
whole --concurrency "$concurrency" 1
program=$(this_build)
mkdir -p "$folder"
part=$(mktemp)
trap 'rm -f "$part"' EXIT

# endings POINTS SIZE SETUP COUNT
endings() {
    "$program" endings --points "$1" --size "$2" --setup "$3" --count "$4" --plies 6 \
        --concurrency "$concurrency"
}

for points in 20 24; do
    {
        endings "$points" 6 corners 334
        endings "$points" 7 corners 333
        endings "$points" 9 classic 333
    } >"$part"
    cat "$part" >"$folder/$points.txt"
    echo "$folder/$points.txt: $(grep -vc '^#' "$part") endings"
done
