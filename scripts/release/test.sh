#!/usr/bin/env bash
# Installs each file of a release in an empty root file system and plays a short game there. It checks the manual pages, the
# completions and the board in the browser where they were installed, and that uninstalling leaves nothing.
#   tarball    on an empty root, without a shell or /proc; then on Debian, for the pages and completions
#   deb        on a minimal Debian
#   wheel      on a minimal Debian with Python
#   crate      on a minimal Debian with a C compiler and this system's Rust toolchain, without the network
#   sdist      as the crate, with pip
#   container  as a container, with buildah
# Each prints a row: what, where, bytes, seconds, result. The first failure ends the test, with the reason. It takes
# about half an hour.
#
# Needs root, Debian's debootstrap, unshare, curl and, for the container, buildah; the network for Debian's packages and
# for pip. It installs nothing outside the roots; crates that are missing go to Cargo's cache.
# Usage: scripts/release/test.sh [--files DIR] [--roots DIR] [--only KINDS] [--mirror URL]
#
#   --files DIR    what scripts/release/build.sh made [target/release-files]
#   --roots DIR    folder for the roots, about 1.5 GB; the minimal Debian in it is used again [target/release-roots]
#   --only KINDS   what to test, separated by commas [all of the list above]
#   --mirror URL   where Debian comes from [http://deb.debian.org/debian]
#
# Exit status: 0 all passed; 1 a test failed; 2 wrong arguments, or something that the test needs is missing.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
umask 022
caller=$PWD
cd "$(dirname "$0")/../.."

kinds=(tarball deb wheel crate sdist container)
files=target/release-files roots=target/release-roots only=() mirror=http://deb.debian.org/debian

refuse() {
    echo "test.sh: $*" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
        --files | --roots | --only | --mirror) [ $# -ge 2 ] || refuse "\`$1\` needs a value" ;;
    esac
    case $1 in
        --files) files=$(cd "$caller" && realpath -m -- "$2") ;;
        --roots) roots=$(cd "$caller" && realpath -m -- "$2") ;;
        --only) IFS=, read -ra only <<<"$2" ;;
        --mirror) mirror=$2 ;;
        *) refuse "unexpected argument \`$1\`; \`--help\` lists the options" ;;
    esac
    shift 2
done
[ ${#only[@]} -gt 0 ] || only=("${kinds[@]}")
for kind in "${only[@]}"; do
    [[ " ${kinds[*]} " = *" $kind "* ]] ||
        refuse "invalid value \`$kind\` for \`--only\`: expected some of $(IFS=,; echo "${kinds[*]}")"
done
[ "$(id -u)" = 0 ] || refuse "only root can make roots; run it with sudo"
for name in debootstrap unshare chroot curl; do
    command -v "$name" >/dev/null || refuse "there is no \`$name\`; install Debian's packages debootstrap, util-linux and curl"
done
[[ " ${only[*]} " != *" container "* ]] || command -v buildah >/dev/null ||
    refuse "there is no \`buildah\`; scripts/release/tools.sh installs it"
[ -f "$files/SHA256SUMS" ] || refuse "there is no $files/SHA256SUMS; run scripts/release/build.sh first"
files=$(realpath "$files")
mkdir -p "$roots"
roots=$(realpath "$roots")
log=$roots/log.txt
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# The report.

what="" where="" bytes=0 begin=0 rows=""
fail() {
    echo "test.sh: ${what:-$kind}: $*" >&2
    exit 1
}
begin() {
    what=$1 where=$2 bytes=$3 begin=$SECONDS
    echo "== $what, on $where" >&2
}
row() {
    rows+=$(printf '%-10s %-46s %9d %7d  %s' "$what" "$where" "$bytes" $((SECONDS - begin)) "$1")$'\n'
    what=""
}
finish() {
    local status=$? left
    mapfile -t left < <(pgrep -P $$)
    kill -KILL "${left[@]}" 2>/dev/null || true
    [ -z "$what" ] || row FAILED
    printf '\n%-10s %-46s %9s %7s  %s\n%s' what where bytes seconds result "$rows"
    exit "$status"
}
trap finish EXIT

# file PATTERN: the one file of the release with this name.
file() {
    local found
    mapfile -t found < <(compgen -G "$files/$1")
    [ ${#found[@]} = 1 ] || fail "expected one file $1 in $files, but there are ${#found[@]}"
    (cd "$files" && grep -F "  $(basename "${found[0]}")" SHA256SUMS | sha256sum --check --quiet >&2) ||
        fail "SHA256SUMS does not fit $(basename "${found[0]}")"
    echo "${found[0]}"
}

# Roots.

root=$roots/root # where each file is installed

# fresh NAME [PACKAGE...]: makes the root a copy of a minimal Debian with these packages, which is kept as NAME.
fresh() {
    local kept=$roots/$1
    if [ ! -f "$kept.done" ]; then
        if [ "$1" = debian ]; then
            rm -rf "$kept"
            debootstrap --variant=minbase bookworm "$kept" "$mirror" >"$log" 2>&1 ||
                fail "debootstrap fails: $(tail -n 3 "$log")"
        else
            fresh debian
            adds "${@:2}"
            in_root apt-get clean
            rm -rf "$kept"
            mv "$root" "$kept"
        fi
        touch "$kept.done"
    fi
    rm -rf "$root"
    cp -a "$kept" "$root"
}

# in_root COMMAND...: runs a command in the root, with its own processes; none outlives it.
in_root() {
    unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" \
        chroot "$root" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

adds() {
    # shellcheck disable=SC2016 # The shell in the root expands it.
    in_root sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends "$@"' \
        adds "$@" >"$log" 2>&1 || fail "Debian's packages $* cannot be installed: $(tail -n 3 "$log")"
}

# All files of the root but the package manager's own notes.
content() {
    find "$root" -xdev -printf '%P %y %s\n' | grep -Ev '^var/(lib/dpkg|log|cache)(/| )' | sort
}

# leaves_nothing FOLDER: fails if files with Tanada's name are left.
leaves_nothing() {
    local left
    left=$(find "$root/$1" -xdev -iname '*tanada*')
    [ -z "$left" ] || fail "uninstalling leaves $left"
}

# What is tried with each program.

# plays COMMAND...: the program plays a game against itself, one over GTP, and searches the same tree as everywhere.
plays() {
    local said moves
    said=$("$@" --version 2>&1) || fail "\`--version\` fails: $said"
    [ "$said" = "tanada $version" ] || fail "\`--version\` says \`$said\` instead of \`tanada $version\`"
    said=$("$@" demo --iterations 200 2>&1) || fail "\`demo\` fails: $said"
    tail -n 1 <<<"$said" | grep -Eq '^(Black|White) wins after [0-9]+ moves' ||
        fail "\`demo\` ends with \`$(tail -n 1 <<<"$said")\`"
    said=$({
        printf 'boardsize 5\nclear_board\n'
        printf 'genmove b\ngenmove w\n%.0s' {1..20}
        printf 'final_score\nquit\n'
    } | "$@" gtp --iterations 100 2>&1) || fail "the game over GTP fails: $said"
    [ "$(grep -c '^=' <<<"$said")" = 44 ] || fail "not all GTP commands succeed: $said"
    moves=$(grep -Ec '^= [A-E][1-5]$' <<<"$said" || true)
    [ "$moves" -ge 5 ] || fail "the game over GTP has only $moves moves: $said"
    grep -Eq '^= [BW]\+' <<<"$said" || fail "the game over GTP has no winner: $said"
    said=$("$@" bench --game tanbo --only signature 2>&1) || fail "\`bench\` fails: $said"
    [ "$said" = "signature $(cat tests/data/signature-tanbo.txt)" ] || fail "\`bench\` says \`$said\`"
}

# serves COMMAND...: the board in the browser starts, answers who has its token, and nobody else.
serves() {
    local address="" pause server status processes
    "$@" web --no-open --listen 127.0.0.1:0 >"$log" 2>&1 &
    server=$!
    for pause in {1..50}; do
        address=$(grep -o 'http://[^ ]*' "$log" || true)
        [ -z "$address" ] || break
        sleep 0.2
    done
    [ -n "$address" ] || fail "\`web\` prints no address after $((pause / 5)) s: $(cat "$log")"
    curl --silent --fail --max-time 10 "$address" | grep -q '<title>' || fail "\`web\` does not answer on $address"
    status=$(curl --silent --max-time 10 --output /dev/null --write-out '%{http_code}' "${address%%\?*}api/events")
    [ "$status" = 401 ] || fail "\`web\` answers $status without its token"
    # unshare passes no signal on, but takes its command with it.
    mapfile -t processes < <(echo "$server"; pgrep -P "$server")
    kill "${processes[@]}" 2>/dev/null || true
    sleep 1
    kill -KILL "${processes[@]}" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    if curl --silent --max-time 10 --output /dev/null "$address"; then fail "\`web\` cannot be stopped"; fi
}

# helps PREFIX: man finds all pages below PREFIX and formats them, and three shells find their completions.
helps() {
    local page said
    said=$(in_root man -w tanada) || fail "\`man\` does not find tanada"
    said=$(in_root readlink -f "$said") # Debian's /usr/local/man is a link.
    [ "$said" = "$1/share/man/man1/tanada.1.gz" ] || fail "\`man\` finds $said"
    for page in "$root$1"/share/man/man1/tanada*; do
        page=$(basename "$page")
        said=$(in_root man --warnings=w -l "$1/share/man/man1/$page" 2>&1 >"$log" || echo "status $?")
        [ -z "$said" ] || fail "\`man -l $page\` says $said"
        grep -q SYNOPSIS "$log" || fail "$page has no synopsis"
    done
    # shellcheck disable=SC2016 # The shell in the root expands it.
    said=$(in_root bash -c '
        . /usr/share/bash-completion/bash_completion
        _completion_loader tanada || [ $? = 124 ]
        COMP_WORDS=(tanada pl) COMP_CWORD=1
        "$(complete -p tanada | sed "s/.*-F \([^ ]*\).*/\1/")" tanada pl tanada
        echo "${COMPREPLY[*]}"' 2>&1)
    [ "$said" = play ] || fail "bash completes \`tanada pl\` to \`$said\`"
    # shellcheck disable=SC2016
    said=$(in_root zsh -f -c 'autoload -Uz compinit; compinit -u -D; echo $_comps[tanada]; autoload +X _tanada' 2>&1)
    [ "$said" = _tanada ] || fail "zsh completes \`tanada\` with \`$said\`"
    # Desktops set this variable; without it fish does not look into /usr/local.
    said=$(in_root env XDG_DATA_DIRS=/usr/local/share:/usr/share fish -c 'complete -C "tanada pl"' 2>&1)
    [[ $said = play* ]] || fail "fish completes \`tanada pl\` to \`$said\`"
}

# The kinds.

tarball() {
    local file alone
    file=$(file "tanada-$version-*-linux-*.tar.gz")
    begin tarball "an empty root" "$(stat -c %s "$file")"
    rm -rf "$root"
    mkdir -p "$root/usr/local"
    tar -xzf "$file" -C "$root/usr/local" --strip-components=1
    if readelf --dynamic "$root/usr/local/bin/tanada" 2>/dev/null | grep -q NEEDED; then
        where="this system's C library, copied"
        ldd "$root/usr/local/bin/tanada" | grep -o '/[^ ]*' | while read -r library; do
            install -D "$library" "$root$library"
        done
    fi
    contains_no_paths "$root/usr/local/bin/tanada"
    has_all_licences "$root/usr/local/share/doc/tanada"
    alone=(env -i "$(command -v chroot)" "$root" /usr/local/bin/tanada)
    plays "${alone[@]}"
    serves "${alone[@]}"
    row passed

    begin tarball "Debian with man, bash, zsh and fish" "$bytes"
    readers
    tar -xzf "$file" -C "$root/usr/local" --strip-components=1
    plays in_root tanada
    helps /usr/local
    row passed
}

readers() {
    fresh readers man-db bash-completion zsh fish
}

contains_no_paths() {
    local name
    for name in "${CARGO_HOME:-$HOME/.cargo}" "$PWD"; do
        if grep -qF "$name/" "$1"; then fail "the program contains the path $name"; fi
    done
}

# Each crate of the program must be named above its licence.
has_all_licences() {
    local triple missing name
    triple=$(basename "$(file "tanada-$version-*-linux-*.tar.gz")" .tar.gz)
    missing=$(cargo tree --locked --edges normal,no-proc-macro --target "${triple#"tanada-$version-"}" --prefix none \
        --format '{p}' | sed 's/ (.*//; s/ v/ /' | sort -u |
        comm -23 - <(sed -n 's/^  \([^ ][^ ]* [0-9][^ ]*\)\( by .*\)*$/\1/p' "$1/LICENSE-THIRD-PARTY.txt" | sort -u))
    [ -z "$missing" ] || fail "there is no licence of ${missing//$'\n'/, }"
    for name in preact htm; do
        grep -qF "$(sed -n 3p "src/web/page/vendor/LICENSE.$name")" "$1/LICENSE-THIRD-PARTY.txt" ||
            fail "there is no licence of $name"
    done
}

deb() {
    local file before after
    file=$(file "tanada_$version-*.deb")
    begin deb "a minimal Debian" "$(stat -c %s "$file")"
    fresh debian
    cp "$file" "$root/tanada.deb"
    before=$(content)
    in_root dpkg -i /tanada.deb >"$log" 2>&1 || fail "dpkg -i fails: $(cat "$log")"
    plays in_root tanada
    serves in_root tanada
    in_root dpkg --purge tanada >"$log" 2>&1 || fail "dpkg --purge fails: $(cat "$log")"
    after=$(content)
    [ "$before" = "$after" ] || fail "uninstalling leaves or takes: $(diff <(echo "$before") <(echo "$after") || true)"
    row passed

    begin deb "Debian with man, bash, zsh and fish" "$bytes"
    readers
    cp "$file" "$root/root/"
    adds "/root/$(basename "$file")"
    helps /usr
    in_root apt-get purge -qq -y tanada >"$log" 2>&1 || fail "apt-get purge fails: $(cat "$log")"
    leaves_nothing usr
    leaves_nothing var/lib/dpkg/info
    row passed
}

wheel() {
    local file tag
    file=$(file "tanada-$version-*.whl")
    begin wheel "Debian with Python" "$(stat -c %s "$file")"
    fresh python python3-venv
    cp "$file" "$root/root/"
    in_root python3 -m venv /opt/venv
    in_root /opt/venv/bin/pip install --quiet --no-index "/root/$(basename "$file")" >"$log" 2>&1 ||
        fail "pip fails: $(cat "$log")"
    plays in_root /opt/venv/bin/tanada
    serves in_root /opt/venv/bin/tanada
    imports
    in_root /opt/venv/bin/pip uninstall --quiet --yes tanada
    leaves_nothing opt/venv
    # What pip would take on older systems and on those with musl.
    if [[ $file = *musllinux* ]]; then
        for tag in manylinux_2_17 musllinux_1_1; do
            in_root /opt/venv/bin/pip download --quiet --no-index --no-deps --find-links /root --dest /tmp \
                --only-binary :all: --platform "${tag}_$(uname -m)" tanada >"$log" 2>&1 ||
                fail "pip refuses it for $tag: $(cat "$log")"
        done
    fi
    row passed
}

# The Python package finds its program and plays.
imports() {
    local said
    said=$(in_root /opt/venv/bin/python -c '
import tanada
with tanada.Engine(size=5, iterations=100) as engine:
    while not engine.is_over():
        engine.genmove()
    print(engine.outcome())' 2>&1) || fail "the Python package fails: $said"
    [[ $said =~ ^(black|white)$ ]] || fail "the Python package says \`$said\`"
}

# compilers: a root with what compiles Tanada, except Rust. The crates are downloaded here.
compilers() {
    fresh compilers python3-venv gcc libc6-dev
    cargo fetch --locked --quiet
}

# builds COMMAND...: runs a command in the root with this system's Rust toolchain and crates, without the network. Less
# optimization makes it several times as fast; what is compiled is kept for the next build.
builds() {
    local registry=${CARGO_HOME:-$HOME/.cargo}/registry
    mkdir -p "$root/opt/rust" "$root/root/.cargo/registry" "$root/root/target" "$roots/target"
    # shellcheck disable=SC2016 # The inner shell expands it.
    (cd "$root" && unshare --mount --net --pid --fork --kill-child --mount-proc="$root/proc" bash -c '
        mount --bind "$1" opt/rust && mount --bind "$2" root/.cargo/registry && mount --bind "$3" root/target || exit
        exec chroot . "${@:4}"' builds "$(rustc --print sysroot)" "$registry" "$roots/target" \
        env -i PATH=/opt/rust/bin:/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 CARGO_NET_OFFLINE=true \
        CARGO_TARGET_DIR=/root/target CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 "$@") >"$log" 2>&1 || fail "\`$*\` fails: $(tail -n 20 "$log")"
}

crate() {
    local file
    file=$(file "tanada-$version.crate")
    begin crate "Debian with Rust and a C compiler" "$(stat -c %s "$file")"
    compilers
    mkdir "$root/root/tanada"
    tar -xzf "$file" -C "$root/root/tanada" --strip-components=1
    builds cargo install --locked --path /root/tanada
    plays in_root /root/.cargo/bin/tanada
    builds cargo uninstall tanada
    leaves_nothing root/.cargo/bin
    row passed
}

sdist() {
    local file
    file=$(file "tanada-$version.tar.gz")
    begin sdist "Debian with Rust, a C compiler and Python" "$(stat -c %s "$file")"
    compilers
    cp "$file" "$root/root/"
    in_root python3 -m venv /opt/venv
    # pip builds in an environment of its own and installs maturin there.
    python3 -m pip download --quiet --disable-pip-version-check --only-binary :all: --no-deps \
        --dest "$root/opt/wheels" "$(grep '^maturin==' scripts/check/package.txt)" >"$log" 2>&1 ||
        fail "maturin cannot be downloaded: $(tail -n 3 "$log")"
    builds /opt/venv/bin/pip install --quiet --no-index --find-links /opt/wheels "/root/$(basename "$file")"
    plays in_root /opt/venv/bin/tanada
    imports
    in_root /opt/venv/bin/pip uninstall --quiet --yes tanada
    leaves_nothing opt/venv
    row passed
}

container() {
    local file store=$roots/containers storage name
    file=$(file "tanada-$version-*-oci.tar")
    begin container "a container" "$(stat -c %s "$file")"
    storage=(buildah --storage-driver vfs --root "$store/root" --runroot "$store/run")
    rm -rf "$store"
    name=$("${storage[@]}" from --quiet "oci-archive:$file") || fail "buildah cannot read the image"
    entry=$("${storage[@]}" inspect --format '{{index .OCIv1.Config.Entrypoint 0}}' "$name")
    plays "${storage[@]}" run --isolation chroot "$name" -- "$entry"
    serves "${storage[@]}" run --isolation chroot "$name" -- "$entry"
    "${storage[@]}" rm --all >/dev/null
    "${storage[@]}" rmi --all --force >/dev/null
    row passed
}

for kind in "${only[@]}"; do "$kind"; done
rm -rf "$root"
