#!/usr/bin/env bash
# The pages of `tanada analyze --html` in a real browser: steps, clicks, keys, variations, spaces, a
# phone, dark mode, no scripts, no network. Screenshots go to target/page.
# Usage: scripts/check/page.sh. TANADA_BIN names the program, CHROMIUM the browser.
# Where something is missing it says so in one sentence and skips; exit 0.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
TANADA_BIN=${TANADA_BIN:+$(realpath "$TANADA_BIN")}
cd "$(dirname "$0")/../.."

skip() {
    echo "page.sh: SKIPPED the pages in a browser: $*" >&2
    exit 0
}

command -v node >/dev/null 2>&1 || skip "\`node\` is missing, version 20 or newer is needed"
if [ ! -d scripts/check/page/node_modules/playwright-core ]; then
    command -v npm >/dev/null 2>&1 || skip "\`npm\` is missing, which installs what scripts/check/page/package.json names"
    log=$(mktemp)
    if ! (cd scripts/check/page && npm ci --no-audit --no-fund) >"$log" 2>&1; then
        tail -n 3 "$log" >&2
        rm -f "$log"
        skip "\`npm ci\` in scripts/check/page failed"
    fi
    rm -f "$log"
fi
browser=${CHROMIUM:-}
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$browser" ] || browser=$(command -v "$name" || true)
done
[ -n "$browser" ] || skip "no chromium was found, install Debian's package \`chromium\` or set CHROMIUM"

if [ -z "${TANADA_BIN:-}" ]; then
    cargo build --locked --quiet
    TANADA_BIN=${CARGO_TARGET_DIR:-target}/debug/tanada
fi
TANADA_BIN=$TANADA_BIN CHROMIUM=$browser node scripts/check/page.mjs
