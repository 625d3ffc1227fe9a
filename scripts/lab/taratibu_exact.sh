#!/usr/bin/env bash
# Measures which Taratibu positions of turn 9 can be solved, by their number of pieces, and the longest search of a turn.
#
# Usage: scripts/lab/taratibu_exact.sh [PIECES...]
#
# PIECES are the numbers of pieces to measure [4 6 8 10 12 14 16]. The positions come from games between greedy and
# random players; White cannot win them at once, and random pieces are removed until PIECES are left. The solver uses
# one thread and 1 GiB. Two environment variables change the measurement: POSITIONS, the positions for each number
# [200], and SECONDS_PER_POSITION, the limit of a search [60]. Runs a release build of the tests; nothing else should
# run on the machine.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
cd "$(dirname "$0")/../.."
if [ $# -gt 0 ]; then
    [[ "$*" =~ ^[0-9\ ]+$ ]] || {
        echo "taratibu_exact.sh: invalid numbers of pieces \`$*\`: expected whole numbers" >&2
        exit 2
    }
    export PIECES="$*"
fi
cargo test --release --test tests -- --ignored --nocapture --test-threads 1 \
    the_longest_search_of_a_turn_is_measured taratibu_exact_is_measured
