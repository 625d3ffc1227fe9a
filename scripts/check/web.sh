#!/usr/bin/env bash
# Tests the page of `tanada web` in a real browser: play, study, learn and watch, by mouse, touch and keyboard, on a
# desktop and a phone, light and dark; axe-core looks for what people with impairments could not use. Screenshots go to
# target/web. Without Node, the npm packages or Chromium the test is skipped, with the reason; scripts/check/tools.sh
# installs what it needs.
# Usage: scripts/check/web.sh [TEST...]
# A test is the name of a module in scripts/check/web, such as `play`; without one all of them run.
# TANADA_BIN names the program [a debug build], CHROMIUM the browser [the first one in the path].
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
TANADA_BIN=${TANADA_BIN:+$(realpath "$TANADA_BIN")}
cd "$(dirname "$0")/../.."

skip_web() {
    skip "the board in a browser" "$@"
    exit 0
}

command -v node >/dev/null || skip_web "there is no Node" "install Node 20 or newer with npm"
for package in playwright-core axe-core; do
    [ -d "scripts/check/page/node_modules/$package" ] ||
        skip_web "$package is not installed" "run npm ci in scripts/check/page"
done
browser=${CHROMIUM:-}
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$browser" ] || browser=$(command -v "$name" || true)
done
[ -n "$browser" ] || skip_web "there is no Chromium" "install Debian's package \`chromium\` or set CHROMIUM"

if [ -z "${TANADA_BIN:-}" ]; then
    cargo build --locked --quiet
    TANADA_BIN=${CARGO_TARGET_DIR:-target}/debug/tanada
fi
TANADA_BIN=$TANADA_BIN CHROMIUM=$browser node scripts/check/web.mjs "$@"
