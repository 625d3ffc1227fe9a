#!/usr/bin/env bash
# Makes a network from nothing: games of the linear evaluation, a first network fitted to them,
# games of that network, and the network fitted to all of them.
# Usage: scripts/train_network.sh FOLDER [--games PERCENT] [--steps N] [--concurrency N]
#
# FOLDER gets the samples, both networks, their losses as CSV and their curves as SVG. What is whole
# there is not made again: the same command goes on after the last file that it finished, and refuses
# other games, steps, threads or sources. The first network gets three tenths of the steps, the second
# the rest. The games depend on their seeds and networks alone, and those, where the packages of Python
# compute alike, on the samples: nothing depends on time.
# Run whole it took 110 minutes on two cores of an AMD EPYC (Zen 4): games 16, fit 25, games 16, fit 50, when
# fits still ended by time, after as many steps as now. Without AVX2 or AVX-512 the games of the first
# network alone take hours. docs/network.md says what its network is worth.
# Needs Python with the packages of scripts/network/requirements.txt; PYTHON names another
# interpreter, TANADA_BIN another program.
set -euo pipefail
export LC_ALL=C
from=$PWD
cd "$(dirname "$0")/.."
. scripts/common.sh

[ -n "${1:-}" ] || refuse "expected a folder"
folder=$1 percent=100 steps=108000 concurrency=2
shift
while [ $# -gt 0 ]; do
    given=$(value "$1" "$@")
    case $1 in
        --games) percent=$given ;;
        --steps) steps=$given ;;
        --concurrency) concurrency=$given ;;
        *) refuse "unknown option \`$1\`, expected --games, --steps or --concurrency" ;;
    esac
    shift 2
done
for number in "$percent" "$steps" "$concurrency"; do
    [[ $number =~ ^[1-9][0-9]{0,6}$ ]] || refuse "\`$number\` is no whole number from 1 to 9999999"
done
[ "$concurrency" -le 256 ] || refuse "\`$concurrency\` is no value of \`--concurrency\`, expected 1 to 256"
python=${PYTHON:-python3}
case $python in
    /*) ;;
    */*) python=$from/$python ;;
esac
"$python" -c "import matplotlib, numpy, torch" 2>/dev/null ||
    refuse "$python lacks packages, expected those of scripts/network/requirements.txt"
case $folder in
    /*) ;;
    *) folder=$from/$folder ;;
esac
mkdir -p "$folder"
settings=$(tree_origin)
means=$(git hash-object --no-filters -- scripts/train_network.sh scripts/network/train.py)
settings="--games $percent --steps $steps --concurrency $concurrency, $settings, scripts ${means//$'\n'/ }"
if [ -f "$folder/settings" ]; then
    [ "$(cat "$folder/settings")" = "$settings" ] ||
        refuse "\`$folder\` was begun with $(cat "$folder/settings"), expected those or another folder"
elif [ -n "$(ls "$folder")" ]; then
    refuse "\`$folder\` has files but no settings, so that nobody knows what made them, expected another folder"
fi
tanada=$(this_build)
echo "$settings" >"$folder/settings"

# Round, board, setup, games, iterations a move, random plies at most, drawn plies, seed.
plan() {
    cat <<'PLAN'
1  9 classic 11000 400 14 12 21
1  7 dense    5000 400 10  8 22
1 13 classic  1200 300 24 20 23
1 11 dense     900 300 24 20 24
1 19 classic   300 200 40 40 25
2  9 classic  3000 400 14 12 31
2  7 dense    2000 400 10  8 32
2 13 classic   700 300 24 20 33
2 11 dense     500 300 24 20 34
2 19 classic   150 200 40 40 35
PLAN
}

# Plays the games of a round with the options that follow.
play() {
    local round=$1
    shift
    plan | while read -r of side setup games iterations plies drawn seed; do
        local file="$folder/$side-$round"
        [ "$of" = "$round" ] && [ ! -f "$file" ] || continue
        games=$((games * percent / 100 > 25 ? games * percent / 100 : 25))
        # What a run that was stopped has left.
        rm -f "$file".*.tanada-part
        "$tanada" selfplay --size "$side" --setup "$setup" --games "$games" \
            --iterations "$iterations" --plies "$plies" --drawn "$drawn" --seed "$seed" \
            --concurrency "$concurrency" --out "$file" "$@" </dev/null
    done
}

# Fits a network to the samples of some rounds: fit NAME STEPS ROUNDS.
fit() {
    [ -f "$folder/$1" ] && return
    "$python" scripts/network/train.py --steps "$2" --threads "$concurrency" \
        --out "$folder/$1.part" "$folder"/*-[$3]
    for kind in .csv .svg ""; do mv "$folder/$1.part$kind" "$folder/$1$kind"; done
}

play 1 --set leaf=linear
fit first.txt $((1 + steps * 3 / 10)) 1
play 2 --set leaf=network --weights "$folder/first.txt"
fit network.txt $((steps - steps * 3 / 10)) 12
echo "$folder/network.txt"
