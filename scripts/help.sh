# shellcheck shell=bash
# What every script does before all else; they source it with the arguments that they got.
# Usage: . "$(dirname "$0")/help.sh"
# `--help` and `-h` print the first lines of the script, up to the first that is no comment.
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

# For a script that takes none: no_arguments "$@".
no_arguments() {
    [ $# -gt 0 ] || return 0
    echo "$(basename "$0"): unexpected argument \`$1\`, expected none" >&2
    exit 2
}
