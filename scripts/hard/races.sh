#!/usr/bin/env bash
# Explores what threads share: the search tree, the solver's table, numbered jobs, the schedule and the writer of the
# analysis, and the input of the protocol. The models in the folder models compile the engine's own files with the types
# of shuttle, which tries random schedules, and of loom, which explores the smallest pieces exhaustively within its
# memory model.
# Usage: scripts/hard/races.sh [SCHEDULES]
# SCHEDULES is the number of random schedules of each model of shuttle, and of PCT schedules [1000000].
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
cd "$(dirname "$0")/../.."

schedules=${1:-1000000}
if [ $# -gt 1 ] || ! [[ $schedules =~ ^[1-9][0-9]*$ ]]; then
    echo "races.sh: invalid arguments \`$*\`: expected at most one number of schedules, from 1" >&2
    exit 2
fi
cargo run --locked --quiet --package models --bin loom-models
SHUTTLE_SILENCE_WARNINGS=1 cargo run --locked --quiet --package models --bin shuttle-models -- "$schedules"
