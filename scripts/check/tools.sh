#!/usr/bin/env bash
# Installs what scripts/check.sh uses beside Rust: the Python packages of scripts/cluster/requirements.txt, in
# target/venv, and a browser, from Debian's package `chromium` where none is there (that needs root).
# Usage: scripts/check/tools.sh. With CI=true, check.sh calls it first.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
cd "$(dirname "$0")/../.."

# A registry may fail once.
try() {
    local wait
    for wait in 5 20 0; do
        if "$@"; then return; fi
        sleep "$wait"
    done
    echo "tools.sh: \`$*\` failed three times" >&2
    exit 1
}

venv=target/venv
[ -x "$venv/bin/python3" ] || try python3 -m venv "$venv"
try "$venv/bin/pip" install --quiet --disable-pip-version-check -r scripts/cluster/requirements.txt

has_browser() {
    [ -n "${CHROMIUM:-}" ] || command -v chromium || command -v chromium-browser ||
        command -v google-chrome || command -v google-chrome-stable
}
if ! has_browser >/dev/null; then
    try apt-get update -qq
    try env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null
fi
