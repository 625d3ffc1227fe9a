#!/usr/bin/env bash
# Drives Tanada over GTP as real clients do: a strict client in Python that sends random lines, and the library that
# Sabaki uses, in Node. A client that cannot run here is skipped, with the reason; scripts/check/tools.sh installs
# what they need.
# Usage: scripts/check/clients.sh
# TANADA_BIN names the program [target/release/tanada].
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
program=${TANADA_BIN:+$(realpath "$TANADA_BIN")}
cd "$(dirname "$0")/../.."

program=${program:-${CARGO_TARGET_DIR:-target}/release/tanada}
if [ ! -x "$program" ]; then
    echo "clients.sh: there is no program \`$program\`; run \`cargo build --release\` or set TANADA_BIN" >&2
    exit 1
fi
program=$(realpath "$program")

if python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    python3 -B scripts/check/strict_client.py --tanada "$program"
else
    skip "the strict client" "there is no Python 3.10 or newer" "install python3"
fi

if ! command -v node >/dev/null; then
    skip "the client with Sabaki's library" "there is no Node" "install Node 20 or newer with npm"
elif [ ! -d scripts/check/clients/node_modules/@sabaki/gtp ]; then
    skip "the client with Sabaki's library" "its package is not installed" "run npm ci in scripts/check/clients"
else
    node scripts/check/clients/sabaki.mjs "$program"
fi
