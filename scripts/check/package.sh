#!/usr/bin/env bash
# Builds the wheel and the sdist of the Python package, installs the wheel in a fresh environment, and checks it there:
# types, the examples in its help, its tests. The sdist is not compiled. Without Python or a package that it needs the
# check is skipped, with the reason.
# Usage: scripts/check/package.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
cd "$(dirname "$0")/../.."

skip_package() {
    skip "the Python package" "$@"
    exit 0
}

command -v python3 >/dev/null || skip_package "there is no Python" "install Python 3.10 or newer"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    skip_package "Python is too old" "install Python 3.10 or newer"
mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)/package
rm -rf "$target"
python3 -m venv "$target/venv" || skip_package "no virtual environment can be made" "install Debian's package python3-venv"
python=$target/venv/bin/python
"$python" -m pip install --quiet --disable-pip-version-check -r scripts/check/package.txt ||
    skip_package "its requirements cannot be installed" "pip install -r scripts/check/package.txt"

# built COMMAND: runs maturin, and shows what it said if it fails.
built() {
    "$target/venv/bin/maturin" "$@" --out "$target" >"$target/build.log" 2>&1 && return
    cat "$target/build.log" >&2
    exit 1
}

built build --release --locked
built sdist
wheel=$(find "$target" -maxdepth 1 -name '*.whl')
source=$(find "$target" -maxdepth 1 -name '*.tar.gz')
tar tzf "$source" >"$target/files"
"$python" -m zipfile -l "$wheel" >>"$target/files"
for file in /src/main.rs /python/tanada/py.typed /LICENSE licenses/LICENSE; do
    grep -q "$file" "$target/files" || { echo "package.sh: there is no $file in the sdist or the wheel" >&2; exit 1; }
done
echo "$(basename "$source"), $(stat -c %s "$source") bytes"
echo "$(basename "$wheel"), $(stat -c %s "$wheel") bytes"
"$python" -m pip install --quiet --disable-pip-version-check --no-deps "$wheel"
"$target/venv/bin/mypy" --strict --python-version 3.10 --cache-dir "$target/mypy" python/tanada
# From here on nothing but what is installed counts.
unset TANADA_BIN PYTHONPATH
"$target/venv/bin/tanada" --version
"$target/venv/bin/pytest" -q -p no:cacheprovider --doctest-modules --pyargs tanada
"$target/venv/bin/pytest" -q -p no:cacheprovider python/tests
