#!/usr/bin/env bash
# Plays complete games with two threads and 0.1 s per move, two on each of 7x7 dense, 9x9, 13x13 and 19x19. The oracle
# of the tests checks every ply. Takes a few minutes.
# Usage: scripts/lab/whole_games.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
cd "$(dirname "$0")/../.."
exec scripts/hard/replay.sh --boards "7d 9 13 19" --pairs 1 --time-per-move 0.1 --threads 2
