#!/usr/bin/env bash
# Drives the program (TANADA_BIN, else target/release/tanada) as real clients do: a strict client of random lines, in
# Python, and Sabaki's library, in node. Says what it skips and why.
# Usage: scripts/check/clients.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
bin=${TANADA_BIN:+$(realpath "$TANADA_BIN")}
cd "$(dirname "$0")/../.."

target=${CARGO_TARGET_DIR:-target}
bin=${bin:-$target/release/tanada}
if [ ! -x "$bin" ]; then
    echo "clients.sh: \`$bin\` is not there; build it with \`cargo build --release\`, or set TANADA_BIN" >&2
    exit 1
fi
bin=$(realpath "$bin")
skip() { echo "clients.sh: SKIPPED $1" >&2; }

if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    python3 -B scripts/check/strict_client.py --tanada "$bin"
else
    skip "the strict client: Python 3.9 or newer is missing"
fi

node_client() {
    if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
        skip "the client of Sabaki's library: node or npm is missing"
        return
    fi
    local folder=$target/clients
    mkdir -p "$folder"
    cp scripts/check/clients/package.json scripts/check/clients/package-lock.json scripts/check/clients/sabaki.mjs "$folder"
    if ! (cd "$folder" && npm ci --silent --no-audit --no-fund >npm.log 2>&1); then
        skip "the client of Sabaki's library: its package cannot be had, see $folder/npm.log"
        return
    fi
    node "$folder/sabaki.mjs" "$bin"
}
node_client
