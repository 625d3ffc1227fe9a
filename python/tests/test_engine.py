"""`tanada.Engine`: games, searches, parameters, and what happens when the engine dies, hangs or is interrupted."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import tanada
from conftest import assert_gone

# A program that knows just enough to begin.
ANSWERS = 'read line; printf "= 2\\n\\n"'


@pytest.fixture
def engine():
    with tanada.Engine(size=9, iterations=40, threads=1, seed=1) as made:
        yield made


def test_a_game_is_played_to_its_end(engine):
    moves = 0
    while not engine.is_over():
        assert engine.to_move == ("black", "white")[moves % 2]
        legal = engine.legal_moves()
        assert engine.genmove() in legal
        moves += 1
    assert engine.outcome() == engine.to_move
    assert engine.legal_moves() == []
    with pytest.raises(tanada.GameOver):
        engine.genmove()
    with pytest.raises(tanada.GameOver):
        engine.best_move()
    assert list(engine.analyse()) == []
    engine.undo(moves)
    assert engine.to_move == "black" and len(engine.legal_moves()) == 8
    with pytest.raises(tanada.CommandError, match="cannot undo"):
        engine.undo()


def test_illegal_moves_change_nothing(engine):
    before = engine.show()
    for move in ("A1", "B2", "Z9", "", "pass", "null", "C2 C3", " C2", "C2\nquit", "C2#"):
        with pytest.raises(tanada.IllegalMove) as caught:
            engine.play(move)
        assert caught.value.move == move
    for color in ("white", "black C2", "grey", "b\nquit"):
        with pytest.raises(tanada.CommandError, match="illegal move"):
            engine.play("C3", color)
    assert engine.show() == before and engine.to_move == "black"


def test_best_move_plays_nothing(engine):
    assert engine.best_move() in engine.legal_moves()
    assert engine.to_move == "black"
    with pytest.raises(tanada.CommandError):
        engine.undo()


@pytest.mark.parametrize("command", [
    "", " ", "# nothing", "play b C2\nquit", "name\r", "name\0", "\x7f", "\x9f", "name \udc80", "12 name", "kata-analyze b 10",
])
def test_what_is_not_one_command_is_not_sent(engine, command):
    with pytest.raises(ValueError, match="is not one command"):
        engine.send(command)
    assert engine.send("name") == "Tanada"


def test_several_commands_at_once(engine):
    assert engine.send_all(["name", "protocol_version"]) == ["Tanada", "2"]
    with pytest.raises(tanada.CommandError, match="unknown command") as caught:
        engine.send_all(["name", "nonsense", "play b C2"])
    assert caught.value.command == "nonsense"
    # Those after it were executed.
    assert engine.to_move == "white"


def test_parameters(engine):
    assert engine.parameters["iterations"] == 40
    engine.parameters["iterations"] = None
    assert engine.parameters["iterations"] is None
    engine.parameters["ponder"] = True
    assert engine.parameters["ponder"] is True
    del engine.parameters["ponder"]
    assert engine.parameters["ponder"] is False
    engine.parameters["cpuct"] = 0.5
    assert engine.parameters["cpuct"] == 0.5
    with pytest.raises(tanada.CommandError, match="invalid value `-1` for `threads`"):
        engine.parameters["threads"] = -1
    with pytest.raises(tanada.CommandError, match="did you mean `threads`"):
        engine.parameters["thread"] = 1
    with pytest.raises(KeyError):
        engine.parameters["thread"]
    for name, value in (("leaf", ""), ("leaf", "playout # x"), ("leaf # ", "playout"), ("leaf", "playout x")):
        with pytest.raises(tanada.CommandError, match="expected one word"):
            engine.parameters[name] = value
    with pytest.raises(tanada.CommandError):
        engine.parameters.set_preset("")
    table = tanada.parameters()
    assert set(engine.parameters) == set(table)
    # Every default can be sent back.
    for name, parameter in table.items():
        if name != "seed":
            engine.parameters[name] = parameter.default
            assert engine.parameters[name] == parameter.default
    engine.parameters.set_preset("playout")
    assert engine.parameters["leaf"] == "playout"


def test_an_analysis_is_an_iterator_that_anything_ends(engine):
    seen = []
    for search in engine.analyse(interval=0.02):
        seen.append(search.visits)
        if len(seen) == 3:
            break
    assert seen == sorted(seen)
    assert engine.send("name") == "Tanada"
    searches = engine.analyse(interval=0.02)
    first = next(searches)
    assert 0 <= first.value <= 1 and first.moves[0].visits == max(move.visits for move in first.moves)
    engine.play(first.moves[0].move)
    assert list(searches) == []
    assert engine.to_move == "white"


def test_an_analysis_has_limits(engine):
    begun = time.monotonic()
    last = list(engine.analyse(seconds=0.3, interval=0.05))[-1]
    assert 0.3 <= time.monotonic() - begun < 5
    assert last.visits > 0
    assert list(engine.analyse(visits=1))[-1].visits >= 1
    allowed = list(engine.analyse(visits=20, allow=["C2", "B3"]))[-1]
    assert {move.move for move in allowed.moves} == {"C2", "B3"}
    for move in ("C2\nname", "C2 1 interval 3000", "C2,C3", ""):
        with pytest.raises(tanada.IllegalMove):
            list(engine.analyse(visits=1, allow=[move]))
        assert engine.send("name") == "Tanada"
    avoided = list(engine.analyse(visits=20, avoid=["C2"]))[-1]
    assert "C2" not in {move.move for move in avoided.moves}


def test_an_analysis_ends_with_a_proof():
    with tanada.Engine(size=5, setup="corners", threads=1, seed=1) as engine:
        last = list(engine.analyse(visits=10**9, interval=0.02))[-1]
    assert last.moves[0].proof == "win"


def test_a_turn_of_many_steps_is_not_late():
    with tanada.Engine(game="taratibu", timeout=1, time_per_move=0.3, threads=1, seed=1) as engine:
        while not engine.is_over():
            engine.genmove()


def test_a_clock_is_not_late():
    with tanada.Engine(size=9, timeout=0.5, time_per_move=0.01, threads=1, seed=1) as engine:
        engine.send("time_settings 60 0 0")
        begun = time.monotonic()
        engine.genmove()
        assert time.monotonic() - begun > 0.5


def test_an_analysis_calls_back(engine):
    seen = []
    last = engine.analyse(interval=0.02, callback=lambda search: seen.append(search) or len(seen) < 2)
    assert last is seen[-1] and len(seen) == 2
    with pytest.raises(ZeroDivisionError):
        engine.analyse(interval=0.02, callback=lambda search: 1 / 0)
    assert engine.send("name") == "Tanada"


def test_two_analyses_replace_each_other(engine):
    one, other = engine.analyse(interval=0.02), engine.analyse(interval=0.02)
    assert next(one).visits > 0 and next(other).visits > 0
    assert list(one) == []
    assert next(other).visits > 0
    other.close()


def test_taratibu():
    with tanada.Engine(game="taratibu", iterations=50, threads=1, seed=1) as engine:
        assert engine.to_move == "white"
        step = engine.legal_moves()[0]
        engine.play(step)
        assert engine.genmove()
        engine.undo()


def test_the_settings_of_the_user_change_nothing(monkeypatch, tmp_path):
    def shown():
        with tanada.Engine(seed=1) as engine:
            return engine.show(), dict(engine.parameters)

    before = shown()
    Path(tmp_path, "tanada.toml").write_text("size = 7\nthreads = 3\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("TANADA_PLAYERS", "4")
    assert shown() == before


def test_four_players():
    with tanada.Engine(size=9, players=4, iterations=20, threads=1, seed=1) as engine:
        sides = []
        for _ in range(4):
            sides.append(engine.to_move)
            engine.genmove()
    assert sides == ["black", "white", "red", "green"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"size": 99}, "invalid value `99` for `--size`: expected a whole number from 4 to 21"),
        ({"iterations": 0}, "invalid value `0` for `iterations`: expected a whole number from 1"),
        ({"thread": 2}, "unknown parameter `thread`"),
        ({"game": "go"}, "`go`"),
        ({"setup": "nowhere.txt"}, "nowhere.txt"),
        ({"program": "/nowhere/tanada"}, "cannot run `/nowhere/tanada`: No such file"),
    ],
)
def test_what_the_program_refuses_is_said(options, sentence):
    with pytest.raises(tanada.StartError) as caught:
        tanada.Engine(**options)
    assert sentence in str(caught.value)


def test_no_program(monkeypatch, tmp_path):
    monkeypatch.delenv("TANADA_BIN", raising=False)
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    monkeypatch.setattr("sysconfig.get_path", lambda *_: os.fspath(tmp_path))
    with pytest.raises(tanada.StartError, match="there is no program `tanada`"):
        tanada.Engine()


def test_nothing_is_left_behind():
    with tanada.Engine(size=5) as engine:
        pid = engine.pid
    assert_gone(pid)
    engine.close()
    with pytest.raises(tanada.EngineDied, match="the engine was closed"):
        engine.send("name")
    engine = tanada.Engine(size=5)
    pid = engine.pid
    del engine
    gc.collect()
    assert_gone(pid)


def test_nothing_is_left_behind_by_an_error():
    with pytest.raises(ZeroDivisionError), tanada.Engine(size=9, time_per_move=1000) as engine:
        pid = engine.pid
        next(engine.analyse(interval=0.02))
        raise ZeroDivisionError
    assert_gone(pid)


def test_nothing_is_left_behind_by_a_script_that_ends():
    script = "import tanada; engine = tanada.Engine(size=5); print(engine.pid); {}"
    for ending in ("", "raise SystemExit(3)", "import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"):
        script_text = script.format("import sys; sys.stdout.flush(); " + ending if ending else "")
        done = subprocess.run([sys.executable, "-c", script_text], capture_output=True, text=True, timeout=60)
        assert_gone(int(done.stdout))


def test_a_killed_engine_raises(engine):
    os.kill(engine.pid, signal.SIGKILL)
    with pytest.raises(tanada.EngineDied, match="signal 9"):
        engine.send("name")
    with pytest.raises(tanada.EngineDied):
        engine.play("C2")


def test_an_engine_that_is_killed_while_it_searches_raises(engine):
    engine.parameters["iterations"] = None
    engine.parameters["time_per_move"] = 1000
    threading.Timer(0.3, os.kill, (engine.pid, signal.SIGKILL)).start()
    begun = time.monotonic()
    with pytest.raises(tanada.EngineDied, match="signal 9"):
        engine.genmove()
    assert time.monotonic() - begun < 10


def test_an_engine_that_hangs_is_killed(fake):
    program = fake(f"{ANSWERS}; sleep 1000 & wait")
    engine = tanada.Engine(program=program, timeout=0.3)
    begun = time.monotonic()
    with pytest.raises(tanada.EngineTimeout, match="did not answer in time"):
        engine.send("name")
    assert time.monotonic() - begun < 5
    assert_gone(engine.pid)
    with pytest.raises(tanada.EngineDied):
        engine.send("name")


def test_a_stopped_engine_is_killed(engine):
    os.kill(engine.pid, signal.SIGSTOP)
    with pytest.raises(tanada.EngineTimeout):
        engine.send("name", timeout=0.3)
    assert_gone(engine.pid)


def test_an_engine_that_ignores_the_end_is_killed(fake):
    engine = tanada.Engine(program=fake(f"{ANSWERS}; trap '' TERM; while :; do sleep 0.1; done"))
    pid = engine.pid
    engine.close()
    assert_gone(pid)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("exit 3", "the engine ended with status 3"),
        ("echo 'tanada: no luck' >&2; exit 2", "no luck"),
        ("printf '= 2'", "the engine ended with status 0"),
        ("kill -9 $$", "the engine ended with signal 9"),
    ],
)
def test_a_program_that_is_no_engine(fake, body, sentence):
    with pytest.raises(tanada.StartError) as caught:
        tanada.Engine(program=fake(body), timeout=5)
    assert str(caught.value) == sentence


def test_a_program_that_never_speaks(fake):
    with pytest.raises(tanada.StartError, match="did not answer in time"):
        tanada.Engine(program=fake("sleep 1000 & wait"), timeout=0.3)


INTERRUPTED = """
import os, signal, threading, tanada
engine = tanada.Engine(size=9, time_per_move=1000)
print(engine.pid, flush=True)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {}
except KeyboardInterrupt:
    print("interrupted")
try:
    engine.send("name")
except tanada.EngineDied as error:
    print(error)
"""


@pytest.mark.parametrize("action", ["engine.genmove()", "list(engine.analyse(interval=100))"])
def test_an_interrupt_ends_the_engine(action):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(action)], capture_output=True, text=True, timeout=60
    )
    lines = done.stdout.splitlines()
    assert lines[1:] == ["interrupted", "the engine was closed"], done.stderr
    assert_gone(int(lines[0]))


def test_an_interrupt_while_it_closes_leaves_nothing_behind(fake):
    program = fake(f"{ANSWERS}; while :; do sleep 0.1; done")
    script = (
        "import os, signal, threading, tanada\n"
        f"engine = tanada.Engine(program={program!r})\n"
        "print(engine.pid, flush=True)\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "engine.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "KeyboardInterrupt" in done.stderr
    assert_gone(int(done.stdout))


def test_a_child_of_this_process_does_not_keep_an_engine(engine):
    child = os.fork()
    if child == 0:
        time.sleep(20)
        os._exit(0)
    try:
        begun = time.monotonic()
        engine.close()
        assert time.monotonic() - begun < 1
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_an_engine_that_ends_while_it_is_closed(fake):
    engine = tanada.Engine(program=fake(f"{ANSWERS}; read line; exec 1>&-; sleep 0.7; exit 3"))
    threading.Timer(0.4, engine.close).start()
    with pytest.raises(tanada.EngineDied):
        engine.send("name")


def test_closing_from_another_thread_ends_a_search(engine):
    engine.parameters["iterations"] = None
    engine.parameters["time_per_move"] = 1000
    threading.Timer(0.3, engine.close).start()
    with pytest.raises(tanada.EngineDied):
        engine.genmove()


def test_play_and_undo_take_one_round_trip_each(engine):
    engine.to_move
    written = []
    write = engine._process.write
    engine._process.write = lambda data: (written.append(data), write(data))
    engine.play("C2")
    engine.undo()
    assert len(written) == 2
