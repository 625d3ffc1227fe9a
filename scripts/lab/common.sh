# shellcheck shell=bash
# Functions shared by the scripts that play matches or build Tanada.
# Usage: . scripts/lab/common.sh, from the root of the repository
# TANADA_BIN names a program to use instead of building this tree.
script=$(basename "$0")
export TANADA_CONFIG="" # measurements do not depend on the settings of whoever runs them

# Paths given by the user are relative to the folder the script was called from, not to the root.
caller=${OLDPWD:-$PWD}
from_caller() {
    case $1 in
        /* | "") printf '%s' "$1" ;;
        *) printf '%s' "$caller/$1" ;;
    esac
}
for name in TANADA_BIN TANADA_BASE_BIN TANADA_GENERATIONS; do
    if [ -n "${!name:-}" ]; then declare "$name=$(from_caller "${!name}")"; fi
done

# Reports wrong arguments in one sentence and exits with status 2.
refuse() {
    echo "$script: $*" >&2
    exit 2
}

# Prints the value of the first option: value "$@" fails if there is none.
value() {
    [ $# -ge 2 ] || refuse "\`$1\` needs a value"
    printf '%s' "$2"
}

# Refuses a text that is not a whole number from LEAST on: whole OPTION TEXT LEAST.
whole() {
    [[ $2 =~ ^[0-9]{1,9}$ ]] && [ "$((10#$2))" -ge "$3" ] ||
        refuse "invalid value \`$2\` for \`$1\`: expected a whole number, $3 or more"
}

# Prints the value of the first option, which must be a whole number: whole_value LEAST "$@".
whole_value() {
    local least=$1 text
    shift
    # `set -e` has no effect in a command substitution.
    text=$(value "$@") || exit 2
    whole "$1" "$text" "$least"
    printf '%s' "$text"
}

# Prints the flags of a limit and checks its number before anything is built: limit_flags "--time-per-move 0.1".
limit_flags() {
    local option=${1%% *} number=${1#* }
    if [ "$option" = --iterations ]; then
        whole "$option" "$number" 1
    elif ! [[ $number =~ ^[0-9]*\.?[0-9]+$ && $number =~ [1-9] ]]; then
        refuse "invalid value \`$number\` for \`$option\`: expected a number of seconds above 0"
    fi
    printf '%s' "$1"
}

# Reads one option that all match scripts share: match_option "$@". Each script sets its own default of `pairs`.
boards="9 13 7d 11d 19" limit="" seed=1 concurrency=1 records=""
match_option() {
    case $1 in
        --boards) boards=$(value "$@") ;;
        --pairs) pairs=$(value "$@") ;;
        --time-per-move | --iterations)
            [ -z "$limit" ] || refuse "\`--time-per-move\` and \`--iterations\` exclude each other"
            limit=$(value "$@")
            limit="$1 $limit"
            ;;
        --seed) seed=$(value "$@") ;;
        --concurrency) concurrency=$(value "$@") ;;
        --records)
            records=$(value "$@")
            records=$(from_caller "$records")
            ;;
        *) refuse "unexpected argument \`$1\`" ;;
    esac
}

# Checks the options that match_option read: check_match DEFAULT_LIMIT.
check_match() {
    local board
    whole --pairs "$pairs" 1
    whole --seed "$seed" 0
    whole --concurrency "$concurrency" 1
    limit=$(limit_flags "${limit:-$1}")
    for board in $boards; do
        board_flags "$board" >/dev/null
    done
    [ -n "$boards" ] || refuse "\`--boards\` names no board"
}

# Makes the folder for programs and records: the one given by --records, or a temporary one.
match_folder() {
    if [ -z "$records" ]; then
        records=$(mktemp -d)
        trap 'rm -rf "$records"' EXIT
    fi
    mkdir -p "$records/bin"
    records=$(cd "$records" && pwd)
}

# Identifies a program given instead of a build: program_origin VARIABLE PROGRAM.
program_origin() {
    local hash
    ready "$1" "$2" >/dev/null || exit 2
    hash=$(git hash-object --no-filters -- "$2") || exit 2
    echo "program $hash"
}

not_a_clone() {
    refuse "this folder is not a Git clone, so its sources cannot be identified; set TANADA_BIN to a program"
}

# Identifies the sources of this tree, committed or not.
tree_origin() {
    local inputs=(src Cargo.toml Cargo.lock) names hash
    if [ -n "${TANADA_BIN:-}" ]; then
        program_origin TANADA_BIN "$TANADA_BIN"
        return
    fi
    names=$(git -c core.quotePath=false ls-files --cached --others --exclude-standard -- "${inputs[@]}" |
        sort -u | while IFS= read -r name; do [ ! -f "$name" ] || printf '%s\n' "$name"; done) || not_a_clone
    hash=$({ printf '%s\n' "$names" && git hash-object --no-filters --stdin-paths <<<"$names"; } |
        git hash-object --stdin) || not_a_clone
    echo "sources $hash"
}

# Refuses a folder whose games were played by other programs: same_origins FOLDER NOW. NOW has a line
# `side: origin` for each program, the format of FOLDER/bin/built-from.txt. Without that file, programs in
# FOLDER/bin may be incomplete and are removed.
same_origins() {
    local side begun found from=$1/bin/built-from.txt
    if [ ! -f "$from" ]; then
        for found in "$1"/*/match.json; do
            [ ! -f "$found" ] ||
                refuse "\`$1\` has games but no bin/built-from.txt, so the programs that played them are unknown; use another folder"
        done
        rm -f "$1"/bin/tanada-*
        return 0
    fi
    while IFS=: read -r side _; do
        begun=$(grep "^$side:" "$from") || begun="$side: unknown"
        [ "$begun" = "$(grep "^$side:" <<<"$2")" ] ||
            refuse "\`$1\` was started with another $side (${begun#*: }); use that one, or another folder"
    done <<<"$2"
}

# Copies a program: keep PROGRAM FILE. FILE is never incomplete, even if the script is stopped.
keep() {
    cp "$1" "$2.part"
    mv "$2.part" "$2"
}

# Plays or resumes a match: play_board BOARD PROGRAM [FLAG...].
play_board() {
    local folder=$records/$1 program=$2 flags limits resume=()
    read -ra flags <<<"$(board_flags "$1")"
    read -ra limits <<<"$limit"
    shift 2
    if [ -f "$folder/match.json" ]; then resume=(--resume); fi
    "$program" match "${flags[@]}" "${limits[@]}" --pairs "$pairs" --seed "$seed" --concurrency "$concurrency" \
        --rating-interval 0 --records "$folder" ${resume[@]+"${resume[@]}"} "$@" >/dev/null
}

# Prints the flags of `tanada match` for a board: 9, 7d (dense), 13c (corners), 19x4 (four players).
board_flags() {
    [[ $1 =~ ^([0-9]{1,2})(d|c|x[234])?$ ]] && [ "$((10#${BASH_REMATCH[1]}))" -ge 4 ] &&
        [ "$((10#${BASH_REMATCH[1]}))" -le 21 ] ||
        refuse "invalid board \`$1\`: expected a size from 4 to 21, then \`d\` for the dense setup, \`c\` for corners, or \`x3\` or \`x4\` for the number of players, if any"
    printf -- '--size %s' "${BASH_REMATCH[1]}"
    case ${BASH_REMATCH[2]} in
        d) printf -- ' --setup dense' ;;
        c) printf -- ' --setup corners' ;;
        x*) printf -- ' --players %s' "${BASH_REMATCH[2]#x}" ;;
    esac
}

# Prints the absolute path of a program given instead of a build: ready VARIABLE PROGRAM.
ready() {
    [ -f "$2" ] && [ -x "$2" ] || refuse "\`$2\`, given by $1, is not an executable file"
    echo "$(cd "$(dirname "$2")" && pwd)/$(basename "$2")"
}

# Builds this tree unless TANADA_BIN is set; prints the path of the program.
this_build() {
    if [ -n "${TANADA_BIN:-}" ]; then
        ready TANADA_BIN "$TANADA_BIN"
        return
    fi
    command -v cargo >/dev/null 2>&1 ||
        refuse "there is no \`cargo\`; install a Rust toolchain, or set TANADA_BIN to a program"
    # `set -e` has no effect in a command substitution.
    cargo build --locked --release >&2 || refuse "the build of this tree failed"
    ready "the build" "${CARGO_TARGET_DIR:-target}/release/tanada"
}

# Builds a revision in a temporary folder: revision_build REV FILE.
revision_build() {
    local commit source
    commit=$(git rev-parse --verify --quiet --end-of-options "$1^{commit}") ||
        refuse "this clone has no revision \`$1\`"
    source=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$source'" EXIT
    git archive "$commit" | tar -x -C "$source"
    CARGO_TARGET_DIR="$source/target" cargo build --locked --release \
        --manifest-path "$source/Cargo.toml" >&2 || refuse "the build of \`$1\` failed"
    cp "$source/target/release/tanada" "$2"
}

# Prints the names of the generations.
generation_names() {
    awk '!/^#/ && NF { print $1 }' scripts/lab/generations.txt
}

# Prints the path of a generation's program: generation NAME. It is built only if neither TANADA_GENERATIONS nor
# target/generations has it with the right signature.
generation() {
    local folder expected found
    expected=$(awk -v n="$1" '!/^#/ && $1 == n { print $3 }' scripts/lab/generations.txt)
    for folder in "${TANADA_GENERATIONS:-}" "target/generations/$1"; do
        if [ -n "$folder" ] && [ -n "$expected" ] && [ -x "$folder/tanada-$1" ]; then
            found=$("$folder/tanada-$1" bench --only signature | sed -n 's/^signature //p') || found=
            if [ "$found" = "$expected" ]; then
                ready TANADA_GENERATIONS "$folder/tanada-$1"
                return
            fi
        fi
    done
    # Each generation needs its own folder, because cargo takes the build of another commit for fresh if it is
    # newer than the sources.
    found=$(scripts/lab/generation.sh "$1" "target/generations/$1") || refuse "the build of generation \`$1\` failed"
    rm -rf "target/generations/$1/build"
    echo "$found"
}

# Prints the `--engine` of a program: program NAME PATH. It gets one thread, because concurrent games would
# otherwise compete for cores.
program() {
    case $2 in
        *[\'\\]*) refuse "\`$2\` cannot be run: its path has a quote or a backslash" ;;
    esac
    printf "name=%s,command='%s' gtp,threads=1" "$1" "${2//,/\\,}"
}
