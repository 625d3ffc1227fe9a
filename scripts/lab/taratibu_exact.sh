#!/usr/bin/env bash
# How large Taratibu positions of turn 9 are solved, and how long the search of a turn takes at most.
#
# Usage: scripts/lab/taratibu_exact.sh [PIECES...]
#
# Builds the tests as they are shipped and prints a table: positions from games between greedy and
# random sides that White cannot win at once, with random pieces taken off until PIECES are left
# [default: 4 6 8 10 12 14 16]. One thread and 1 GiB. POSITIONS (200) is how many there are of each
# number, SECONDS_PER_POSITION (60) after how long one is left open. Nothing else should run meanwhile.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
cd "$(dirname "$0")/../.."
if [ $# -gt 0 ]; then
    [[ "$*" =~ ^[0-9\ ]+$ ]] || {
        echo "taratibu_exact.sh: \`$*\` are no numbers of pieces" >&2
        exit 2
    }
    export PIECES="$*"
fi
cargo test --release --test tests -- --ignored --nocapture --test-threads 1 \
    the_longest_search_of_a_turn_is_measured taratibu_exact_is_measured
