#!/usr/bin/env bash
# Measures how much faster Tanada plays random Tanbo games than a simple list-based position.
#
# Builds Tanada with `cargo build --release`, and benches/list/main.rs with all optimisations for this processor. They
# take turns on each board size, with one thread; the script prints a table. Nothing else should run on the machine.
#
# Usage: scripts/lab/playout_speed.sh [--rounds 5] [--seconds 2] [--threshold 2.0] [--sizes "9 13 19"]
#
#   --rounds N       runs of each program on each board size [5]
#   --seconds S      seconds of a run [2]
#   --threshold X    lowest acceptable median ratio to the plain position [2.0]
#   --sizes SIZES    board sizes ["9 13 19"]
#
# The environment variables ROUNDS, SECONDS_PER_RUN, THRESHOLD and SIZES set the same options.
# TANADA_BIN names a program to measure instead of building this tree.
#
# The baseline is benches/list/plain.rs. It keeps lists of legal points from move to move and branches on the effect of
# a move on each of its four neighbours: legal now, no longer legal, or unchanged. It is the obvious way to write such
# a position, and the fastest of its kind that we found.
#
# A round is one run of each program; its ratio is engine / plain. The games of the first round
# check that both play uniformly at random: mean length and share of black wins must agree. z is the difference of
# the shares in standard errors.
#
# Exit status: 0 passed, 1 a median ratio to plain is below the threshold, or |z| is above 4, 2 wrong arguments, or a
# program failed.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
engine=${TANADA_BIN:+$(realpath "$TANADA_BIN")}
cd "$(dirname "$0")/../.."

rounds=${ROUNDS:-5}
seconds=${SECONDS_PER_RUN:-2}
threshold=${THRESHOLD:-2.0}
sizes=${SIZES:-9 13 19}

fail() {
    echo "playout_speed.sh: $*" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
        --rounds | --seconds | --threshold | --sizes) [ $# -ge 2 ] || fail "\`$1\` needs a value" ;;
        *) fail "unexpected argument \`$1\`" ;;
    esac
    case $1 in
        --rounds) rounds=$2 ;;
        --seconds) seconds=$2 ;;
        --threshold) threshold=$2 ;;
        --sizes) sizes=$2 ;;
    esac
    shift 2
done
[[ $rounds =~ ^[1-9][0-9]*$ ]] || fail "invalid value \`$rounds\` for \`--rounds\`: expected a whole number, 1 or more"
[[ $seconds =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "invalid value \`$seconds\` for \`--seconds\`: expected a number"
[[ $threshold =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "invalid value \`$threshold\` for \`--threshold\`: expected a number"

target=${CARGO_TARGET_DIR:-target}
if [ -z "$engine" ]; then
    env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS cargo build --release --quiet >&2 || fail "the build of this tree failed"
    engine=$target/release/tanada
fi
mkdir -p "$target/baseline"
list=$target/baseline/list
rustc --edition 2024 -C opt-level=3 -C target-cpu=native -C lto=fat -C codegen-units=1 -C panic=abort \
    benches/list/main.rs -o "$list" >&2 || fail "the build of the list-based program failed"

# Prints the number of a field: field NAME < JSON.
field() {
    tr ',{}' '[\n*]' | sed -n "s/^[[:space:]]*\"$1\"[[:space:]]*:[[:space:]]*\([-+.0-9eE]*\)[[:space:]]*\$/\1/p" |
        sed -n 1p
}

# Prints one line "speed playouts moves black_wins": run NAME COMMAND...
run() {
    local name=$1 json line="" value key
    shift
    json=$("$@") || fail "$name failed: $*"
    for key in playout_moves_per_second playouts moves black_wins; do
        value=$(field $key <<<"$json")
        [ -n "$value" ] || fail "$name prints no $key: $json"
        line="$line $value"
    done
    echo "$line"
}

cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | sed -n 1p || true)
[ -n "$cpu" ] || cpu=$(sysctl -n machdep.cpu.brand_string 2>/dev/null || uname -m)
echo "CPU:      $cpu"
echo "compiler: $(rustc --version)"
echo "engine:   $engine"
echo "$rounds rounds of $seconds s each; speeds are medians in million moves per second"
echo
heading="%4s  %7s %7s  %6s %6s %6s  %8s %8s  %7s %7s %6s\n"
# shellcheck disable=SC2059
{
    printf "$heading" "" "" "" engine / plain length length black black ""
    printf "$heading" size engine plain median min max engine plain engine plain z
}

# Prints the line of `run`: measure engine|plain SIZE SEED.
measure() {
    if [ "$1" = engine ]; then
        run engine "$engine" bench --json --only playouts --size "$2" --seconds "$seconds"
    else
        run "$1" "$list" --size "$2" --seconds "$seconds" --seed "$3"
    fi
}

status=0
for size in $sizes; do
    rows=""
    for ((round = 1; round <= rounds; round++)); do
        # The order alternates.
        order="engine plain"
        if ((round % 2 == 0)); then order="plain engine"; fi
        for name in $order; do
            line=$(measure "$name" "$size" "$round")
            case $name in
                engine) a=$line ;;
                plain) b=$line ;;
            esac
        done
        rows+="$a $b"$'\n'
    done
    awk -v size="$size" -v threshold="$threshold" '
        # Puts x[1..n] in ascending order.
        function sort(x, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && x[j - 1] > x[j]; j--) { t = x[j]; x[j] = x[j - 1]; x[j - 1] = t }
        }
        function median(x, n) { return (x[int((n + 1) / 2)] + x[int((n + 2) / 2)]) / 2 }
        NF == 8 {
            n++
            engine[n] = $1 / 1e6; plain[n] = $5 / 1e6
            ratio[n] = $1 / $5
            if (n == 1) {
                length_e = $3 / $2; length_p = $7 / $6
                black_e = $4 / $2; black_p = $8 / $6
                both = ($4 + $8) / ($2 + $6)
                error = sqrt(both * (1 - both) * (1 / $2 + 1 / $6))
                z = error > 0 ? (black_e - black_p) / error : 0
            }
        }
        END {
            sort(engine, n); sort(plain, n); sort(ratio, n)
            slow = median(ratio, n) < threshold
            differs = z > 4 || z < -4
            printf "%4d  %7.2f %7.2f  %6.2f %6.2f %6.2f  %8.2f %8.2f  %7.4f %7.4f %6.2f%s%s\n", size,
                median(engine, n), median(plain, n), median(ratio, n), ratio[1], ratio[n],
                length_e, length_p, black_e, black_p, z,
                slow ? "  below " threshold : "", differs ? "  games differ" : ""
            exit slow || differs
        }' <<<"$rows" || status=1
done
exit $status
