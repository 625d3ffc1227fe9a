#!/usr/bin/env bash
# Installs what scripts/release/build.sh uses besides Rust and Python:
#   Rust target      x86_64-unknown-linux-musl (aarch64 on Arm), with rustup
#   Cargo tools      cargo-about and cargo-deb into target/tools, compiled with little optimization; this takes minutes
#   Python packages  maturin into target/venv
#   Debian packages  musl-tools and buildah; needs root or passwordless sudo
# Usage: scripts/release/tools.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
cd "$(dirname "$0")/../.."

about=0.9.3 deb=3.8.0

rustup target add "$(uname -m)-unknown-linux-musl"

packages=()
command -v musl-gcc >/dev/null || packages+=(musl-tools)
command -v buildah >/dev/null || packages+=(buildah)
if [ ${#packages[@]} -gt 0 ]; then
    as_root=(env DEBIAN_FRONTEND=noninteractive)
    [ "$(id -u)" = 0 ] || as_root=(sudo -n "${as_root[@]}")
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" apt-get install -qq -y --no-install-recommends "${packages[@]}"
fi

[ -x target/venv/bin/pip ] || python3 -m venv target/venv
target/venv/bin/pip install --quiet --disable-pip-version-check "$(grep '^maturin==' scripts/check/package.txt)"

# The tools run once for each release, so it does not pay to optimize them.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
cargo install --locked --root target/tools "cargo-deb@$deb"
cargo install --locked --root target/tools --features cli "cargo-about@$about"
