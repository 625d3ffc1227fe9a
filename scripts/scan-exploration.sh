#!/usr/bin/env bash
# Scans the exploration constant of a preset by matches against the preset as it
# is: fixed iterations, paired random openings. Prints one line for each value.
# Usage: scripts/scan-exploration.sh PRESET SIZE ITERATIONS PAIRS CONSTANT...
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -lt 5 ]; then
    sed -n '2,4s/^# //p' "$0" >&2
    exit 2
fi
preset=$1 size=$2 iterations=$3 pairs=$4
shift 4
cargo build --locked --release --quiet
for constant in "$@"; do
    base="preset=$preset,iterations=$iterations"
    target/release/tanada match --size "$size" --pairs "$pairs" --seed 1 \
        --concurrency "${CONCURRENCY:-1}" \
        --engine "name=new,$base,exploration_constant=$constant" --engine "name=base,$base" \
        --rating-interval 0 2>/dev/null |
        awk -v p="$preset" -v s="$size" -v c="$constant" \
            '/^Games:/ { g = $0 } /^Elo:/ { e = $0 } END { printf "%s %sx%s c=%s  %s  %s\n", p, s, s, c, g, e }'
done
