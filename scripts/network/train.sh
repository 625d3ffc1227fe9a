#!/usr/bin/env bash
# Trains a network from scratch by self-play, in four rounds. Each round plays games and trains on them. The linear
# evaluation plays the first round; later rounds are played by the newest network, which is then trained further on
# the games of its own round. The last training also uses the games of the third round.
# Usage: scripts/network/train.sh FOLDER [--games 100] [--steps 100000] [--concurrency 2]
#
#   --games PERCENT    share of the games of a full run [100]
#   --steps N          training steps of the four rounds together [100000]
#   --concurrency N    games played at the same time, and threads of the training [2]
#
# FOLDER gets the games, their samples, the networks, their losses (CSV) and the loss curves (SVG); FOLDER/network.txt is the result.
# The same command resumes after the last finished game or network; it refuses other options or changed sources. Each of
# the first three trainings takes 18 % of the steps, the last one the rest. The result does not depend on time: the
# same seeds give the same games, and the same samples give the same network if the Python packages compute the same.
# A full run took 151 minutes on two cores of an AMD EPYC (Zen 4). Without AVX2 or AVX-512, the games take hours longer.
# docs/how-it-works/network.md describes the network and its strength.
# Needs Python with the packages of scripts/network/requirements.txt. PYTHON names another interpreter [python3],
# TANADA_BIN a program to use instead of building this tree.
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/../help.sh"
export LC_ALL=C
cd "$(dirname "$0")/../.."
. scripts/lab/common.sh

folder="" percent=100 steps=100000 concurrency=2
while [ $# -gt 0 ]; do
    case $1 in
        --games) percent=$(value "$@") ;;
        --steps) steps=$(value "$@") ;;
        --concurrency) concurrency=$(value "$@") ;;
        -*) refuse "unexpected argument \`$1\`" ;;
        *)
            [ -z "$folder" ] || refuse "unexpected argument \`$1\`: \`$folder\` is the folder already"
            folder=$1
            shift
            continue
            ;;
    esac
    shift 2
done
[ -n "$folder" ] || refuse "the argument FOLDER is missing"
for number in "$percent" "$steps" "$concurrency"; do
    [[ $number =~ ^[1-9][0-9]{0,6}$ ]] || refuse "invalid value \`$number\`: expected a whole number from 1 to 9999999"
done
[ "$concurrency" -le 256 ] || refuse "invalid value \`$concurrency\` for \`--concurrency\`: expected a whole number from 1 to 256"
python=${PYTHON:-python3}
# A name without a slash is looked up in PATH.
if [[ $python == */* ]]; then python=$(from_caller "$python"); fi
"$python" -c "import matplotlib, numpy, torch" 2>/dev/null ||
    refuse "$python lacks packages; run: $python -m pip install -r scripts/network/requirements.txt"
folder=$(from_caller "$folder")
mkdir -p "$folder"
settings=$(tree_origin)
means=$(git hash-object --no-filters -- scripts/network/train.sh scripts/network/train.py)
settings="--games $percent --steps $steps --concurrency $concurrency, $settings, scripts ${means//$'\n'/ }"
if [ -f "$folder/settings" ]; then
    [ "$(cat "$folder/settings")" = "$settings" ] ||
        refuse "\`$folder\` was started with $(cat "$folder/settings"); use the same settings, or another folder"
elif [ -n "$(ls "$folder")" ]; then
    refuse "\`$folder\` has files but no settings, so their origin is unknown; use another folder"
fi
tanada=$(this_build)
echo "$settings" >"$folder/settings"

# Prints a line for each match: round, size, setup, games, iterations per move, highest number of random plies, plies
# drawn in proportion to the visits, seed.
plan() {
    cat <<'PLAN'
1  9 classic  8000 400 14 12 21
1  7 dense    4000 400 10  8 22
1 13 classic  1000 300 24 20 23
1 11 dense     800 300 24 20 24
1 19 classic   300 200 40 40 25
2  9 classic  2000 400 14 12 31
2  7 dense    1500 400 10  8 32
2 13 classic   500 300 24 20 33
2 11 dense     400 300 24 20 34
2 19 classic   150 200 40 40 35
3  9 classic  2500 500 14 12 41
3  7 dense    2000 500 10  8 42
3 13 classic   500 400 24 20 43
3 11 dense     400 400 24 20 44
3 19 classic   120 300 40 36 45
3  6 corners   300 400  8  8 46
4  9 classic  3000 500 14 12 51
4  7 dense    2500 500 10  8 52
4 13 classic   600 400 24 20 53
4 11 dense     500 400 24 20 54
4 19 classic   150 300 40 36 55
4  6 corners   400 400  8  8 56
PLAN
}

# Plays the games of a round: play ROUND [OPTION...].
play() {
    local round=$1
    shift
    plan | while read -r of side setup games iterations plies drawn seed; do
        local file="$folder/$side-$round"
        [ "$of" = "$round" ] && [ ! -f "$file" ] || continue
        games=$((games * percent / 100 > 25 ? games * percent / 100 : 25))
        [ -f "$file.gz" ] || "$tanada" selfplay --size "$side" --setup "$setup" --games "$games" \
            --iterations "$iterations" --plies "$plies" --drawn "$drawn" --seed "$seed" \
            --concurrency "$concurrency" --out "$file.gz" --resume "$@" </dev/null
        "$tanada" samples "$file.gz" --out "$file" </dev/null
    done
}

# Trains a network on the samples of some rounds: fit NAME STEPS ROUNDS [OPTION...].
fit() {
    [ -f "$folder/$1" ] && return
    "$python" scripts/network/train.py --steps "$2" --threads "$concurrency" \
        --out "$folder/$1.part" "${@:4}" "$folder"/*-["$3"]
    for kind in .csv .svg ""; do mv "$folder/$1.part$kind" "$folder/$1$kind"; done
}

# Plays a round with a network and trains it further: further FROM TO ROUND STEPS ROUNDS.
further() {
    play "$3" --set leaf=network --weights "$folder/$1"
    fit "$2" "$4" "$5" --from "$folder/$1" --rate 1.5e-3
}

part=$((1 + steps * 18 / 100))
last=$((steps > 3 * part ? steps - 3 * part : 1))
play 1 --set leaf=linear
fit first.txt "$part" 1
further first.txt second.txt 2 "$part" 2
further second.txt third.txt 3 "$part" 3
further third.txt network.txt 4 "$last" 34
echo "$folder/network.txt"
