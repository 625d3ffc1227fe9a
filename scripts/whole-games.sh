#!/usr/bin/env bash
# Plays one whole game of the engine against itself at 0.1 s a move on each of 7x7
# dense, 9x9, 13x13 and 19x19; a naive oracle checks every ply. Some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --locked --release --test tests -- --ignored --nocapture whole_games_at_a_tenth
