# shellcheck shell=bash
# Prints the help of a script. Every script sources this file first, with its own arguments.
# Usage: . "$(dirname "$0")/help.sh"
# `--help` and `-h` print the comment at the top of the script, without its first line.
for argument in "$@"; do
    case $argument in
        --) break ;;
        -h | --help)
            awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
            exit 0
            ;;
    esac
done
unset argument

# For a script without arguments: no_arguments "$@".
no_arguments() {
    [ $# -gt 0 ] || return 0
    echo "$(basename "$0"): unexpected argument \`$1\`; this script takes no arguments" >&2
    exit 2
}

# Reports a check that cannot run here: skip WHAT WHY HOW, where HOW says how to get what it needs.
# scripts/check.sh collects these lines in the file CHECK_SKIPS and lists them at the end.
skip() {
    echo "$(basename "$0"): SKIPPED $1: $2; $3" >&2
    if [ -n "${CHECK_SKIPS:-}" ]; then echo "$1: $2; $3" >>"$CHECK_SKIPS"; fi
}
