# shellcheck shell=bash
# What the scripts that play matches have in common; they source it from the root of
# the tree. Usage: . scripts/lab/common.sh
# TANADA_BIN names a program that stands for this tree in place of building it.
script=$(basename "$0")

# Files are named from where the script was called; it has come to the root since.
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

# Wrong arguments: one sentence, exit 2.
refuse() {
    echo "$script: $*" >&2
    exit 2
}

# The value of the option that comes first: value "$@" checks that there is one.
value() {
    [ $# -ge 2 ] || refuse "\`$1\` needs a value"
    printf '%s' "$2"
}

# whole OPTION TEXT LEAST
whole() {
    [[ $2 =~ ^[0-9]{1,9}$ ]] && [ "$((10#$2))" -ge "$3" ] ||
        refuse "invalid value \`$2\` for \`$1\`: expected a whole number from $3"
}

# Such a value that is a whole number: whole_value LEAST "$@".
whole_value() {
    local least=$1 text
    shift
    # Where this is called for its output `set -e` does not hold.
    text=$(value "$@") || exit 2
    whole "$1" "$text" "$least"
    printf '%s' "$text"
}

# The limit as flags: limit_flags "--time-per-move 0.1". What is wrong is told before anything is built.
limit_flags() {
    local option=${1%% *} number=${1#* }
    if [ "$option" = --iterations ]; then
        whole "$option" "$number" 1
    elif ! [[ $number =~ ^[0-9]*\.?[0-9]+$ && $number =~ [1-9] ]]; then
        refuse "invalid value \`$number\` for \`$option\`: expected seconds above 0"
    fi
    printf '%s' "$1"
}

# The options that scripts with matches share: match_option "$@" takes the first. `pairs` has no default here.
boards="9 13 7d 11d 19" limit="" seed=1 concurrency=1 records=""
match_option() {
    case $1 in
        --boards) boards=$(value "$@") ;;
        --pairs) pairs=$(value "$@") ;;
        --time-per-move | --iterations)
            [ -z "$limit" ] || refuse "two limits, expected one of \`--time-per-move\` and \`--iterations\`"
            limit=$(value "$@")
            limit="$1 $limit"
            ;;
        --seed) seed=$(value "$@") ;;
        --concurrency) concurrency=$(value "$@") ;;
        --records)
            records=$(value "$@")
            records=$(from_caller "$records")
            ;;
        *) refuse "unknown option \`$1\`" ;;
    esac
}

# Checks what match_option took: check_match LIMIT, the one that holds where none was given.
check_match() {
    local board
    whole --pairs "$pairs" 1
    whole --seed "$seed" 0
    whole --concurrency "$concurrency" 1
    limit=$(limit_flags "${limit:-$1}")
    for board in $boards; do
        board_flags "$board" >/dev/null
    done
    [ -n "$boards" ] || refuse "no boards"
}

# The folder of the programs and the records: the one that was named, else one that is gone after.
match_folder() {
    if [ -z "$records" ]; then
        records=$(mktemp -d)
        trap 'rm -rf "$records"' EXIT
    fi
    mkdir -p "$records/bin"
    records=$(cd "$records" && pwd)
}

# What a program that was named in place of a build is: program_origin NAME PROGRAM.
program_origin() {
    local hash
    ready "$1" "$2" >/dev/null || exit 2
    hash=$(git hash-object --no-filters -- "$2") || exit 2
    echo "program $hash"
}

# What this tree's program is made from.
tree_origin() {
    local inputs=(src Cargo.toml Cargo.lock) names hash
    if [ -n "${TANADA_BIN:-}" ]; then
        program_origin TANADA_BIN "$TANADA_BIN"
        return
    fi
    # What is there, committed or not.
    names=$(git -c core.quotePath=false ls-files --cached --others --exclude-standard -- "${inputs[@]}" |
        sort -u | while IFS= read -r name; do [ ! -f "$name" ] || printf '%s\n' "$name"; done) &&
        hash=$({ printf '%s\n' "$names" && git hash-object --no-filters --stdin-paths <<<"$names"; } |
            git hash-object --stdin) ||
        refuse "this is no clone, so that nobody knows what it is; name a program in TANADA_BIN"
    echo "sources $hash"
}

# Refuses a folder whose games were played by others: same_origins FOLDER NOW, what the programs are
# made from now, a line `side: origin` each, as FOLDER/bin/built-from.txt has it once they are there.
# Without that file programs in FOLDER/bin are of unknown origin, and are removed.
same_origins() {
    local side begun found from=$1/bin/built-from.txt
    if [ ! -f "$from" ]; then
        for found in "$1"/*/match.json; do
            [ ! -f "$found" ] ||
                refuse "\`$1\` has games but no bin/built-from.txt, so that nobody knows what played them, expected another folder"
        done
        rm -f "$1"/bin/tanada-*
        return 0
    fi
    for side in $(sed 's/:.*//' <<<"$2"); do
        begun=$(grep "^$side:" "$from") || begun="$side: unknown"
        [ "$begun" = "$(grep "^$side:" <<<"$2")" ] ||
            refuse "\`$1\` was begun with another $side (${begun#*: }), expected that one or another folder"
    done
}

# Keeps a program: keep PROGRAM FILE. The file is whole or not there.
keep() {
    cp "$1" "$2.part"
    mv "$2.part" "$2"
}

# Plays a match, or goes on with it: play_board BOARD PROGRAM [FLAG...].
play_board() {
    local folder=$records/$1 program=$2 flags limits resume=()
    read -ra flags <<<"$(board_flags "$1")"
    read -ra limits <<<"$limit"
    shift 2
    if [ -f "$folder/match.json" ]; then resume=(--resume); fi
    "$program" match "${flags[@]}" "${limits[@]}" --pairs "$pairs" --seed "$seed" --concurrency "$concurrency" \
        --rating-interval 0 --records "$folder" ${resume[@]+"${resume[@]}"} "$@" >/dev/null
}

# The flags of `tanada match` for a board: 9, 7d (dense), 13c (corners), 19x4 (for four players).
board_flags() {
    [[ $1 =~ ^([0-9]{1,2})(d|c|x[234])?$ ]] && [ "$((10#${BASH_REMATCH[1]}))" -ge 4 ] &&
        [ "$((10#${BASH_REMATCH[1]}))" -le 21 ] ||
        refuse "\`$1\` is no board, expected a size from 4 to 21, followed by \`d\` for the dense setup, \`c\` for corners or \`x3\` or \`x4\` for so many players"
    printf -- '--size %s' "${BASH_REMATCH[1]}"
    case ${BASH_REMATCH[2]} in
        d) printf -- ' --setup dense' ;;
        c) printf -- ' --setup corners' ;;
        x*) printf -- ' --players %s' "${BASH_REMATCH[2]#x}" ;;
    esac
}

# The absolute path of a program that was named in place of a build.
ready() {
    [ -f "$2" ] && [ -x "$2" ] || refuse "\`$2\` is no program, but \`$1\` names it"
    echo "$(cd "$(dirname "$2")" && pwd)/$(basename "$2")"
}

# Builds this tree, or takes TANADA_BIN; prints the path.
this_build() {
    if [ -n "${TANADA_BIN:-}" ]; then
        ready TANADA_BIN "$TANADA_BIN"
        return
    fi
    command -v cargo >/dev/null 2>&1 ||
        refuse "\`cargo\` is missing; install a Rust toolchain, or name a program in TANADA_BIN"
    # Where this is called for its output `set -e` does not hold.
    cargo build --locked --release >&2 || refuse "this tree does not build"
    ready "the build" "${CARGO_TARGET_DIR:-target}/release/tanada"
}

# Builds a revision aside: revision_build REV FILE.
revision_build() {
    local commit source
    commit=$(git rev-parse --verify --quiet --end-of-options "$1^{commit}") ||
        refuse "\`$1\` is no revision of this clone"
    source=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$source'" EXIT
    git archive "$commit" | tar -x -C "$source"
    CARGO_TARGET_DIR="$source/target" cargo build --locked --release \
        --manifest-path "$source/Cargo.toml" >&2 || refuse "\`$1\` does not build"
    cp "$source/target/release/tanada" "$2"
}

# The names of the generations.
generation_names() {
    awk '!/^#/ && NF { print $1 }' scripts/lab/generations.txt
}

# The program of a generation: generation NAME. One that is in TANADA_GENERATIONS or in
# target/generations, with the right signature, is not built again.
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
    # Each in a folder of its own: cargo takes another commit's build for fresh where the
    # sources are older than it.
    found=$(scripts/lab/generation.sh "$1" "target/generations/$1") || refuse "generation \`$1\` does not build"
    rm -rf "target/generations/$1/build"
    echo "$found"
}

# The `--engine` of a program: program NAME PATH. One thread, so that games side by side do not
# take each other's cores.
program() {
    case $2 in
        *[\'\\]*) refuse "\`$2\` has a quote or a backslash in its name, and cannot be run" ;;
    esac
    printf "name=%s,command='%s' gtp,threads=1" "$1" "${2//,/\\,}"
}
