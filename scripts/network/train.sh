#!/usr/bin/env bash
# Makes a network from nothing in four rounds: games, and a network fitted to them. The games of the
# first round are the linear evaluation's, those of each other the last network's, which is then fitted
# further, to these games alone; the last fit takes those of the round before, too.
# Usage: scripts/network/train.sh FOLDER [--games 100] [--steps 100000] [--concurrency 2]
#
#   --games PERCENT    how many of the games of the full run are played
#   --steps N          steps of the four fits together
#   --concurrency N    games side by side, and threads of a fit
#
# FOLDER gets the samples, the networks, their losses as CSV and their curves as SVG. What is whole
# there is not made again: the same command goes on after the last game or file that it finished, and refuses
# other games, steps, threads or sources. Each of the first three networks gets 18 in a hundred of the
# steps, the last the rest. The games depend on their seeds and networks alone, and those, where the
# packages of Python compute alike, on the samples: nothing depends on time.
# Run whole it took 151 minutes on two cores of an AMD EPYC (Zen 4), other work beside it at times.
# Without AVX2 or AVX-512 the games of the networks alone take hours. docs/how-it-works/network.md says
# what its network is worth.
# Needs Python with the packages of scripts/network/requirements.txt; PYTHON names another
# interpreter, TANADA_BIN another program.
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
        -*) refuse "unknown option \`$1\`, expected --games, --steps or --concurrency" ;;
        *)
            [ -z "$folder" ] || refuse "unexpected argument \`$1\`, expected one folder"
            folder=$1
            shift
            continue
            ;;
    esac
    shift 2
done
[ -n "$folder" ] || refuse "expected a folder"
for number in "$percent" "$steps" "$concurrency"; do
    [[ $number =~ ^[1-9][0-9]{0,6}$ ]] || refuse "\`$number\` is no whole number from 1 to 9999999"
done
[ "$concurrency" -le 256 ] || refuse "invalid value \`$concurrency\` for \`--concurrency\`: expected 1 to 256"
python=${PYTHON:-python3}
# A name alone is looked for in the path.
if [[ $python == */* ]]; then python=$(from_caller "$python"); fi
"$python" -c "import matplotlib, numpy, torch" 2>/dev/null ||
    refuse "$python lacks packages, expected those of scripts/network/requirements.txt"
folder=$(from_caller "$folder")
mkdir -p "$folder"
settings=$(tree_origin)
means=$(git hash-object --no-filters -- scripts/network/train.sh scripts/network/train.py)
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

# Plays the games of a round with the options that follow.
play() {
    local round=$1
    shift
    plan | while read -r of side setup games iterations plies drawn seed; do
        local file="$folder/$side-$round"
        [ "$of" = "$round" ] && [ ! -f "$file" ] || continue
        games=$((games * percent / 100 > 25 ? games * percent / 100 : 25))
        "$tanada" selfplay --size "$side" --setup "$setup" --games "$games" \
            --iterations "$iterations" --plies "$plies" --drawn "$drawn" --seed "$seed" \
            --concurrency "$concurrency" --out "$file" --resume "$@" </dev/null
    done
}

# Fits a network to the samples of some rounds: fit NAME STEPS ROUNDS [ITS OPTIONS].
fit() {
    [ -f "$folder/$1" ] && return
    "$python" scripts/network/train.py --steps "$2" --threads "$concurrency" \
        --out "$folder/$1.part" "${@:4}" "$folder"/*-[$3]
    for kind in .csv .svg ""; do mv "$folder/$1.part$kind" "$folder/$1$kind"; done
}

# Goes on from a network, in the games and the fit: further FROM TO ROUND STEPS ROUNDS.
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
