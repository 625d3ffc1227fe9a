#!/usr/bin/env bash
# Tests the pages of `tanada analyze --html` in a real browser: steps, clicks, keys, variations, spaces, a phone, dark
# mode, no JavaScript, no network. Screenshots go to target/page. Without Node, playwright-core or Chromium the test
# is skipped, with the reason; scripts/check/tools.sh installs what it needs.
# Usage: scripts/check/page.sh
# TANADA_BIN names the program [a debug build], CHROMIUM the browser [the first one in the path].
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
TANADA_BIN=${TANADA_BIN:+$(realpath "$TANADA_BIN")}
cd "$(dirname "$0")/../.."

skip_page() {
    skip "the pages in a browser" "$@"
    exit 0
}

command -v node >/dev/null || skip_page "there is no Node" "install Node 20 or newer with npm"
[ -d scripts/check/page/node_modules/playwright-core ] ||
    skip_page "playwright-core is not installed" "run npm ci in scripts/check/page"
browser=${CHROMIUM:-}
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$browser" ] || browser=$(command -v "$name" || true)
done
[ -n "$browser" ] || skip_page "there is no Chromium" "install Debian's package \`chromium\` or set CHROMIUM"

if [ -z "${TANADA_BIN:-}" ]; then
    cargo build --locked --quiet
    TANADA_BIN=${CARGO_TARGET_DIR:-target}/debug/tanada
fi
TANADA_BIN=$TANADA_BIN CHROMIUM=$browser node scripts/check/page.mjs
