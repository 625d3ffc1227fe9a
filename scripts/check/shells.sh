#!/usr/bin/env bash
# Completes a command line in real shells with the scripts of `tanada completions`, and formats all manual pages.
# What is not installed is skipped, with the reason; scripts/check/tools.sh installs what it can.
# Usage: scripts/check/shells.sh
# TANADA_BIN names the program [a debug build].
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
no_arguments "$@"
TANADA_BIN=${TANADA_BIN:+$(realpath "$TANADA_BIN")}
cd "$(dirname "$0")/../.."

if [ -z "${TANADA_BIN:-}" ]; then
    cargo build --locked --quiet
    TANADA_BIN=${CARGO_TARGET_DIR:-target}/debug/tanada
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "shells.sh: $*" >&2
    exit 1
}

# completes SHELL TEXT WORD: after TEXT the shell in the standard input's script offers WORD.
completes() {
    local found
    found=$(text=$2 script=$folder/$1 "${@:4}" 2>&1) || fail "$1 cannot read its script: $found"
    grep -qw -- "$3" <<<"$found" || fail "$1 does not complete \`$2\` to \`$3\`: $found"
}

in_shells() {
    local shell
    for shell in bash zsh fish; do
        if ! command -v "$shell" >/dev/null; then
            skip "completion in $shell" "there is no $shell" "install Debian's package \`$shell\`"
            continue
        fi
        "$TANADA_BIN" completions "$shell" >"$folder/$shell"
        "in_$shell" "tanada pl" play
        "in_$shell" "tanada match --spr" --sprt
        "in_$shell" "tanada prove --cert" --certificate
        echo "$shell completes"
    done
}

in_bash() {
    # shellcheck disable=SC2016 # The other shell expands it.
    completes bash "$1" "$2" bash --norc -c '
        source "$script"
        read -ra COMP_WORDS <<<"$text"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        complete -p tanada >/dev/null
        _tanada tanada "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"'
}

in_fish() {
    # shellcheck disable=SC2016
    completes fish "$1" "$2" fish --no-config -c 'source "$script"; complete -C "$text"'
}

# zsh completes only where somebody types.
in_zsh() {
    # shellcheck disable=SC2016
    completes zsh "$1" "$2" zsh -f -c '
        zmodload zsh/zpty
        zpty typed zsh -f -i
        zpty -w typed "autoload -U compinit; compinit -u -D; source $script; PS1=; cd /; echo ready"
        zpty -r typed said "*ready*ready*" || exit 1
        zpty -w -n typed "$text"$'"'"'\t'"'"'
        for pause in 1 2 3 4 5 6 7 8 9 10; do
            sleep 0.2
            while zpty -r -t typed said; do print -r -- "$said"; done
        done
        zpty -d typed'
}

pages() {
    local page said
    if ! command -v groff >/dev/null || ! command -v man >/dev/null; then
        skip "the manual pages" "there is no man or groff" "install Debian's packages \`man-db\` and \`groff\`"
        return
    fi
    "$TANADA_BIN" man --out-dir "$folder/man1"
    for page in "$folder"/man1/*.1; do
        said=$(MANWIDTH=80 man --warnings=w -l "$page" 2>&1 >"$folder/page")
        [ -z "$said" ] || fail "$(basename "$page"): $said"
        grep -q SYNOPSIS "$folder/page" || fail "$(basename "$page") has no synopsis"
    done
    echo "all manual pages are without warnings"
}

in_shells
pages
