#!/usr/bin/env bash
# Solves endings with each shortcut of the solver on and off, and fails if a result differs.
#
# Usage: scripts/lab/shortcuts.sh FILE
#
# FILE is a suite of Tanbo endings on boards up to 10x10, as `tanada endings --points 12 --count 10000 --out FILE` makes
# it. A way that takes more than 65,536 nodes is given up and counted. Builds the tests; a thousand endings of 12
# playable points take about half a minute.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
cd "$(dirname "$0")/../.."
. scripts/lab/common.sh
[ $# -eq 1 ] || refuse "expected one file with endings"
ENDINGS=$(from_caller "$1")
export ENDINGS
[ -r "$ENDINGS" ] || refuse "cannot read \`$1\`"
cargo test --locked --lib -- --ignored --nocapture shortcuts_change_no_result_of_a_suite
