#!/usr/bin/env bash
# Installs what scripts/check.sh uses besides Rust:
#   Python packages  into target/venv, from scripts/check/requirements.txt and scripts/cluster/requirements.txt
#   cargo-deny       into target/tools
#   npm packages     into node_modules of scripts/check/clients, scripts/check/page and scripts/check/workflows
#   Debian packages  chromium if there is no browser, and zsh, fish, groff, man-db; needs root or passwordless sudo
# A tool that cannot be installed is reported and left out: check.sh then skips the steps that use it.
# Usage: scripts/check/tools.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
cd "$(dirname "$0")/../.."

# Tries a command again after a failure, because a registry may fail once.
try() {
    local pause output
    for pause in 5 ${CI:+20} 0; do
        if output=$("$@" 2>&1); then return; fi
        sleep "$pause"
    done
    echo "tools.sh: \`$*\` failed:" >&2
    tail -n 4 <<<"$output" >&2
    return 1
}

python_packages() {
    local venv=target/venv list
    command -v python3 >/dev/null || return 0
    if [ ! -x "$venv/bin/pip" ]; then
        rm -rf "$venv"
        try python3 -m venv "$venv" || return 0
    fi
    for list in scripts/check/requirements.txt scripts/cluster/requirements.txt; do
        try "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$list" || true
    done
}

npm_packages() {
    local folder
    command -v npm >/dev/null || return 0
    for folder in scripts/check/{clients,page,workflows}; do
        # npm writes the second file when it has finished.
        [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] ||
            try npm ci --prefix "$folder" --loglevel=error --no-audit --no-fund || true
    done
}

# It runs for less than a second, so it is not optimized. It is compiled in a folder of its own, because the release build
# holds the project's.
cargo_packages() {
    command -v cargo >/dev/null || return 0
    try env -u CARGO_TARGET_DIR cargo install --quiet --locked --debug --root target/tools cargo-deny@0.20.2 || true
}

# A browser, shells that complete, and what formats manual pages.
debian_packages() {
    local name needed=() as_root=()
    has_browser || needed+=(chromium)
    for name in zsh fish groff; do
        command -v "$name" >/dev/null || needed+=("$name")
    done
    command -v man >/dev/null || needed+=(man-db)
    [ ${#needed[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || return 0
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || return 0
        as_root=(sudo -n)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive)
    try "${as_root[@]}" apt-get update -qq || return 0
    try "${as_root[@]}" apt-get install -qq -y --no-install-recommends "${needed[@]}" || true
}

has_browser() {
    local name
    [ -z "${CHROMIUM:-}" ] || return 0
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if command -v "$name" >/dev/null; then return; fi
    done
    return 1
}

python_packages
cargo_packages
npm_packages
debian_packages
