#!/bin/sh
# A GTP engine that fails once:
#
#     faulty.sh BEHAVIOUR N PROGRAM [ARGUMENT...]
#
# It lets PROGRAM, a good engine, think. At its Nth genmove it does what BEHAVIOUR says; N is 0
# for the very first command. With a file named by $ONCE it fails only while there is no such
# file, and makes it, so that the next process behaves; with a file $ONCE.off it never fails.
# `asleep` writes the numbers of its processes into the file named by $PIDS. `deaf` and `chatter` answer
# for ever without reading; `chatter` begins with a good move.
# `wrong_setup` refuses every clear_board after N genmoves, and while there is the file.

behaviour=$1
when=$2
shift 2
[ -n "$ONCE" ] && [ -e "$ONCE.off" ] && when=-1

pipes=$(mktemp -d) || exit 1
mkfifo "$pipes/in" "$pipes/out" || exit 1
"$@" <"$pipes/in" >"$pipes/out" 2>/dev/null &
exec 3>"$pipes/in" 4<"$pipes/out"
rm -r "$pipes"

genmoves=0
refuses=no
last=A1

# Many answers in one write: the next commands cannot come between them.
many='= resign\n\n= resign\n\n= resign\n\n= resign\n\n'
many=$many$many$many$many
many=$many$many$many$many

say() {
    printf '%s\n\n' "$1"
}

# The good engine's answer to a line.
ask() {
    printf '%s\n' "$1" >&3
    answer=
    while IFS= read -r part <&4 && [ -n "$part" ]; do
        answer="$answer$part"
    done
}

# Whether it is the moment; it is so only once.
due() {
    [ "$genmoves" -eq "$when" ] && [ "$behaviour" != wrong_setup ] || return 1
    [ -n "$ONCE" ] || return 0
    [ ! -e "$ONCE" ] && : >"$ONCE"
}

fail() {
    case $behaviour in
    crash)
        echo 'faulty: a first complaint' >&2
        echo 'faulty: and a last one' >&2
        exit 3
        ;;
    hang)
        sleep 600 &
        echo "asleep: $$ $!" >&2
        wait
        ;;
    asleep)
        trap '' INT TERM HUP
        sleep 600 &
        echo "$$ $!" >"$PIDS.new"
        mv "$PIDS.new" "$PIDS"
        wait
        ;;
    deaf) while :; do printf "%b" "$many"; done ;;
    chatter)
        ask "$line"
        printf "%s\n\n%b" "$answer" "$many"
        while :; do printf "%b" "$many"; done
        ;;
    late)
        sleep 2
        ask "$line"
        say "$answer"
        ;;
    illegal) say "= $last" ;;
    claim) say '= win' ;;
    pass) say '= pass' ;;
    resign) say '= resign' ;;
    garbage) say 'B3' ;;
    flood) yes 'B3' ;;
    endless)
        printf '= A1\n'
        yes 'and more'
        ;;
    orphan)
        # What is left behind holds the output open.
        sleep 600 &
        exit 3
        ;;
    error) say '? cannot' ;;
    close)
        exec >&-
        while read -r line; do :; done
        exit
        ;;
    refuse)
        refuses=yes
        ask "$line"
        say "$answer"
        ;;
    *)
        ask "$line"
        say "$answer"
        ;;
    esac
}

if [ "$behaviour" = noise ]; then
    echo 'Faulty 1.0 by nobody'
    echo
    echo 'loading weights ... done'
fi

while read -r line; do
    if [ "$when" -eq 0 ] && [ "$behaviour" != wrong_setup ]; then
        fail
        continue
    fi
    case $line in
    protocol_version) say '= 2' ;;
    name) say '= Faulty' ;;
    version) say '= 1.0' ;;
    list_commands)
        printf '= protocol_version\nname\nversion\nlist_commands\nboardsize\nclear_board\n'
        printf 'play\ngenmove\nquit\ntime_settings\n\n'
        ;;
    time_settings*) say '=' ;;
    clear_board)
        wrong=no
        if [ "$behaviour" = wrong_setup ] && [ "$when" -ge 0 ]; then
            [ "$genmoves" -ge "$when" ] && wrong=yes
            [ -n "$ONCE" ] && [ -e "$ONCE" ] && wrong=yes
        fi
        if [ "$wrong" = yes ]; then
            [ -n "$ONCE" ] && : >"$ONCE"
            say '? the board is stuck'
        else
            ask "$line"
            say "$answer"
        fi
        ;;
    play*)
        last=${line##* }
        if [ "$refuses" = yes ]; then
            refuses=no
            say '? illegal move'
        else
            ask "$line"
            say "$answer"
        fi
        ;;
    genmove*)
        genmoves=$((genmoves + 1))
        if due; then
            fail
        else
            ask "$line"
            say "$answer"
        fi
        ;;
    quit)
        say '='
        exit
        ;;
    *)
        ask "$line"
        say "$answer"
        ;;
    esac
done
