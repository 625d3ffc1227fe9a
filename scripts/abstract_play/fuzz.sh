#!/usr/bin/env bash
# Feeds random and damaged inputs to everything that reads what the server Abstract Play sends: keys, signatures,
# messages with their games, and records. The tests of `cargo test` do the same with 256 inputs each.
# Usage: scripts/abstract_play/fuzz.sh [INPUTS]
# INPUTS is the number of inputs for each reader [1000000].
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
cd "$(dirname "$0")/../.."

export PROPTEST_CASES=${1:-1000000}
begin=$SECONDS
cargo test --locked --lib -- abstract_play::key::tests::any_ \
    abstract_play::signature::tests::any_ abstract_play::game::tests::any_
cargo test --locked --test tests -- records::abstract_play::any_
echo "$PROPTEST_CASES inputs for each reader in $((SECONDS - begin)) s"
