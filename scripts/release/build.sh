#!/usr/bin/env bash
# Builds the files of a release for Linux on this processor:
#   tarball    the program with its documents, licences, manual pages and completions; unpacks into /usr/local or ~/.local
#   wheel      the Python package with the program
#   sdist      the Python package as source
#   crate      the Rust package as source
#   deb        the Debian package
#   container  an image that holds the static program, as an OCI archive
# and SHA256SUMS. The program is static, so it runs on any Linux. scripts/release/tools.sh installs what this needs;
# scripts/release/test.sh tries the files on bare roots.
# Usage: scripts/release/build.sh [--out DIR] [--target TRIPLE] [--only KINDS] [--allow-dirty]
#
#   --out DIR         folder for the files; other files in it stay [target/release-files]
#   --target TRIPLE   Rust target [x86_64-unknown-linux-musl; if it or musl-gcc is missing, the system's own, and
#                     the program then needs this system's glibc or a newer one]
#   --only KINDS      what to build, separated by commas [all of the list above]
#   --allow-dirty     build although files differ from the last commit
#
# SOURCE_DATE_EPOCH sets the time of all files in the archives [the time of the last commit].
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
umask 022
caller=$PWD
cd "$(dirname "$0")/../.."

kinds=(tarball wheel sdist crate deb container)
out=target/release-files triple="" only=() dirty=()

refuse() {
    echo "build.sh: $*" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
        --out | --target | --only)
            [ $# -ge 2 ] || refuse "\`$1\` needs a value"
            case $1 in
                --out) out=$(cd "$caller" && realpath -m -- "$2") ;;
                --target) triple=$2 ;;
                --only) IFS=, read -ra only <<<"$2" ;;
            esac
            shift
            ;;
        --allow-dirty) dirty=(--allow-dirty) ;;
        *) refuse "unexpected argument \`$1\`; \`--help\` lists the options" ;;
    esac
    shift
done
[ ${#only[@]} -gt 0 ] || only=("${kinds[@]}")
for kind in "${only[@]}"; do
    [[ " ${kinds[*]} " = *" $kind "* ]] ||
        refuse "invalid value \`$kind\` for \`--only\`: expected some of $(IFS=,; echo "${kinds[*]}")"
done
wanted() { [[ " ${only[*]} " = *" $1 "* ]]; }

# Tools. All are looked for before the first build, which takes minutes.

export PATH=$PWD/target/tools/bin:$PWD/target/venv/bin:$PATH # where tools.sh installs them
needs() { command -v "$1" >/dev/null || refuse "there is no \`$1\`; scripts/release/tools.sh installs it"; }

[ "$(uname -s)" = Linux ] || refuse "this is $(uname -s), but the script builds for Linux only"
command -v cargo >/dev/null || refuse "there is no \`cargo\`; install Rust with rustup"
needs cargo-about
if wanted wheel || wanted sdist; then needs maturin; fi
if wanted deb; then needs cargo-deb; fi
if wanted container; then needs buildah; fi
if [ ${#dirty[@]} = 0 ] && [ -n "$(git status --porcelain 2>/dev/null)" ]; then
    refuse "files differ from the last commit; commit them, or add --allow-dirty"
fi

has_target() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ]; }
if [ -z "$triple" ]; then
    triple=$(uname -m)-unknown-linux-musl
    if ! has_target "$triple" || ! command -v musl-gcc >/dev/null; then
        echo "build.sh: the target $triple or \`musl-gcc\` is missing (scripts/release/tools.sh installs both)," \
            "so the program will need $(getconf GNU_LIBC_VERSION) or newer" >&2
        triple=$(uname -m)-unknown-linux-gnu
    fi
fi
has_target "$triple" || refuse "the Rust target \`$triple\` is not installed; run rustup target add $triple"
sysroot_licence=$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html
[ -f "$sysroot_licence" ] || refuse "there is no $sysroot_licence, which a toolchain of rustup has"

# The program. Paths of this machine are left out of it.

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
unset SOURCE_DATE_EPOCH # or crates with C code are compiled again for each commit
flags=("--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo")
case $triple in *-musl) flags=(-Ctarget-feature=+crt-static "${flags[@]}") ;; esac
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}")
export CARGO_ENCODED_RUSTFLAGS
cargo build --locked --release --bin tanada --target "$triple"
mkdir -p "$out"
out=$(realpath "$out")
built=$(realpath "${CARGO_TARGET_DIR:-target}")/$triple/release
program=$built/tanada

# All files as they are installed below a prefix; the tarball, the Debian package and the image take them from here.

stage=$built/stage
documents=$stage/share/doc/tanada
rm -rf "$stage"
mkdir -p "$stage/bin" "$documents"
cp "$program" "$stage/bin/"
cp README.md CHANGELOG.md LICENSE "$documents/"
"$program" man --out-dir "$stage/share/man/man1"
gzip --best --no-name "$stage"/share/man/man1/*.1
complete() {
    mkdir -p "$stage/share/$(dirname "$2")"
    "$program" completions "$1" >"$stage/share/$2"
}
complete bash bash-completion/completions/tanada
complete zsh zsh/site-functions/_tanada
complete fish fish/vendor_completions.d/tanada.fish
complete powershell doc/tanada/tanada.ps1

licences() {
    local name
    cargo about generate --locked --offline --fail --target "$triple" --config scripts/release/about.toml \
        --output-file "$documents/crates" scripts/release/about.hbs >&2
    cat "$documents/crates"
    rm "$documents/crates"
    printf '\nThe page of "tanada web" contains these JavaScript libraries:\n'
    for name in preact htm; do
        printf '\n%s\n%s\n\n' "$(printf '=%.0s' {1..80})" "$name"
        cat "src/web/page/vendor/LICENSE.$name"
    done
    case $triple in
        *-musl)
            printf '\nIt is linked with the C library musl:\n\n%s\n\n' "$(printf '=%.0s' {1..80})"
            cat scripts/release/LICENSE.musl
            ;;
    esac
    printf '\nLICENSE-RUST.html has the licences of the Rust standard library.\n'
}
licences >"$documents/LICENSE-THIRD-PARTY.txt"
cp "$sysroot_licence" "$documents/LICENSE-RUST.html"
chmod -R u=rwX,go=rX "$stage"

# The files of the release.

files=()

# packed FOLDER OPTION...: an archive that depends on nothing but the content of the files.
packed() {
    tar --create --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --format=ustar \
        --directory "$@" .
}

tarball() {
    local name=tanada-$version-$triple
    packed "$stage" --transform "s,^\.,$name," | gzip --best --no-name >"$out/$name.tar.gz"
    files+=("$name.tar.gz")
}

# The static program needs no C library, so one wheel serves the systems with glibc and those with musl.
wheel() {
    local compatibility=pypi folder=$built/wheel
    case $triple in *-musl) compatibility="manylinux_2_17 musllinux_1_1" ;; esac
    rm -rf "$folder"
    # pyproject.toml takes LICENSE* into the wheel.
    trap 'rm -f LICENSE-THIRD-PARTY.txt LICENSE-RUST.html' EXIT
    cp "$documents"/LICENSE-* .
    # shellcheck disable=SC2086 # Two words.
    maturin build --locked --release --target "$triple" --auditwheel check --out "$folder" --compatibility $compatibility
    rm -f LICENSE-THIRD-PARTY.txt LICENSE-RUST.html
    taken "$folder"/*.whl
}

sdist() {
    local folder=$built/sdist
    rm -rf "$folder"
    maturin sdist --out "$folder"
    taken "$folder"/*.tar.gz
}

crate() {
    cargo package --locked --no-verify "${dirty[@]}"
    taken "$(realpath "${CARGO_TARGET_DIR:-target}")/package/tanada-$version.crate"
}

deb() {
    local folder=$built/debian
    rm -rf "$folder"
    SOURCE_DATE_EPOCH=$epoch cargo deb --locked --no-build --no-strip --no-dbgsym --target "$triple" --output "$folder/"
    taken "$folder"/*.deb
}

# Nothing runs during this build, so it needs neither a daemon nor isolation. It keeps its layers apart from yours.
container() {
    local store=$built/containers name=tanada-$version-${triple%%-*}-oci.tar image=localhost/tanada:$version
    local storage=(buildah --storage-driver vfs --root "$store/root" --runroot "$store/run")
    rm -rf "$store"
    "${storage[@]}" build --isolation chroot --timestamp "$epoch" --tag "$image" \
        --file scripts/release/Containerfile "$stage"
    "${storage[@]}" push --quiet "$image" "oci:$store/image:tanada:$version"
    packed "$store/image" --transform 's,^\./,,' >"$out/$name"
    "${storage[@]}" rmi --all --force >/dev/null
    files+=("$name")
}

taken() {
    [ $# = 1 ] || refuse "expected one file, but there are $#: $*"
    cp "$1" "$out/"
    files+=("$(basename "$1")")
}

for kind in "${only[@]}"; do "$kind"; done

cd "$out"
sha256sum "${files[@]}" >SHA256SUMS
printf '\n%-62s %10s\n' "in $out" bytes
stat -c '%n %s' "${program}" "${files[@]}" | while read -r name size; do printf '%-62s %10d\n' "$(basename "$name")" "$size"; done
