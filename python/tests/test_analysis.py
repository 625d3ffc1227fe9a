"""`tanada.Analysis`: answers, order, errors, and what happens when the engine dies or hangs."""

import asyncio
import gc
import os
import re
import signal
import threading
import time

import numpy
import pytest
import tanada
from conftest import assert_gone
from tanada import Query

ANSWERS = (
    'read line; id=$(echo "$line" | sed \'s/.*"id":"\\([^"]*\\)".*/\\1/\'); '
    'printf \'{"id":"%s","action":"query_version"}\\n\' "$id"'
)


@pytest.fixture(scope="module")
def analysis():
    with tanada.Analysis(seed=1) as made:
        yield made


def test_a_position_is_searched(analysis):
    [result] = analysis.ask(Query(size=9, visits=30))
    assert (result.turn, result.to_move, result.visits, result.proof) == (0, "black", 30, None)
    assert 0 <= result.value <= 1 and abs(sum(result.values.values()) - 1) < 1e-4
    best = result.moves[0]
    assert best.pv[0] == best.move and best.prior is not None and best.initial_value is None
    assert result.warnings == ()
    assert result.raw["rootInfo"]["visits"] == 30
    # The same query gets the same answer.
    assert analysis.ask(Query(size=9, visits=30)) == [result]


def test_each_turn_has_a_result(analysis):
    moves = [("black", "C2"), ("white", "C8"), ("b", "C3")]
    results = analysis.ask(Query(size=9, moves=moves, turns=[3, 0, 1], visits=2))
    assert [result.turn for result in results] == [0, 1, 3]
    assert [result.to_move for result in results] == ["black", "white", "white"]


def test_exact_results_have_a_winner(analysis):
    [result] = analysis.ask(Query(size=5, setup="corners", visits=100_000))
    assert result.proof == "black" and result.moves[0].proof == "win"
    assert {move.proof for move in result.moves} <= {"win", "loss", None}
    over = tanada.Position.from_text("4 b XOX1/4/4/O2X")
    while not over.is_over:
        over = over.play(over.legal_moves[0])
    [result] = analysis.ask(over.query())
    assert result.moves == () and result.to_move == over.outcome


def test_moves_are_allowed_and_avoided(analysis):
    position = tanada.Position(size=9)
    [result] = analysis.ask(position.query(visits=20, allow=["C2", "B3"]))
    assert {move.move for move in result.moves} == {"C2", "B3"}
    [result] = analysis.ask(position.query(visits=50, avoid=["C2"]))
    assert "C2" not in {move.move for move in result.moves}
    with pytest.raises(tanada.QueryError, match="`allowMoves` needs `to_move`"):
        analysis.ask(Query(size=9, allow=["C2"]))


def test_other_players_and_games(analysis):
    [result] = analysis.ask(Query(size=19, players=4, visits=5))
    assert set(result.values) == {"black", "white", "red", "green"}
    assert result.moves[0].prior is not None and result.moves[0].initial_value is None
    [result] = analysis.ask(Query(size=9, players=3, visits=5))
    assert result.moves[0].prior is not None and result.moves[0].initial_value is None
    [result] = analysis.ask(Query(game="taratibu", visits=5))
    assert (result.to_move, result.symmetric_hash) == ("white", None)


def test_parameters_and_fields(analysis):
    [result] = analysis.ask(Query(size=9, visits=5, parameters={"leaf": "playout", "time_per_move": None}))
    assert result.moves[0].prior is None and result.moves[0].initial_value is None
    [result] = analysis.ask(Query(size=9, visits=5, parameters={"leaf": "linear"}))
    assert result.moves[0].prior is None and result.moves[0].initial_value is not None
    [result] = analysis.ask(Query(size=9, visits=5, fields={"includePolicy": True, "komi": 6.5, "maxVisit": 3}))
    assert len(result.raw["policy"]) == 82
    assert len(result.warnings) == 1 and "maxVisit" in result.warnings[0]


@pytest.mark.parametrize(
    ("query", "field", "sentence"),
    [
        (Query(size=9, moves=[("black", "E5")]), "moves", "Illegal move 0: `B E5`"),
        (Query(size=3), "boardXSize", "3"),
        (Query(size=9, visits=0), "maxVisits", "0"),
        (Query(size=9, setup="nonsense"), "setup", "nonsense"),
        (Query(size=9, parameters={"cpuct": -1.0}), "overrideSettings", "-1"),
        ({"moves": [], "boardXSize": 9}, "boardYSize", "an integer from 4 to 21"),
        ({}, "moves", "[player,location] pairs"),
    ],
)
def test_a_wrong_query_is_refused(analysis, query, field, sentence):
    with pytest.raises(tanada.QueryError) as caught:
        analysis.ask(query)
    assert sentence in str(caught.value) and caught.value.field == field
    assert analysis.ask(Query(size=5, visits=1))


@pytest.mark.parametrize(
    "query",
    [
        Query(size=9, parameters={"cpuct": float("nan")}),
        Query(size=9, fields={"x": "y" * (1 << 20)}),
        Query(size=9, fields={"x": object()}),
        {"action": "query_version"},
    ],
)
def test_what_cannot_be_sent_leaves_nothing_that_waits(query):
    with tanada.Analysis(timeout=0.5) as analysis:
        with pytest.raises(tanada.QueryError):
            analysis.ask(query)
        time.sleep(0.8)
        assert analysis.ask(Query(size=5, visits=1))


def test_numbers_of_numpy_and_ids_of_the_caller(analysis):
    [result] = analysis.ask(Query(size=numpy.int64(9), visits=numpy.int32(3)))
    assert result.visits == 3
    query = {"id": "mine", "boardXSize": 9, "boardYSize": 9, "moves": (("b", "C2"),), "analyzeTurns": (0, 1)}
    assert [result.turn for result in analysis.ask({**query, "maxVisits": 2})] == [0, 1]


def test_functions_that_are_called_with_answers_must_not_wait():
    with tanada.Analysis() as analysis:
        query = Query(size=9, visits=10**12, fields={"reportDuringSearchEvery": 0.05})
        future = analysis.submit(query, lambda result: analysis.ask(Query(size=5, visits=1)))
        with pytest.raises(RuntimeError, match="must not wait"):
            future.result(30)
        closed = analysis.submit(query, lambda result: analysis.close())
        with pytest.raises(tanada.EngineDied):
            closed.result(30)


def test_results_come_as_soon_as_they_are_there(analysis):
    ready = threading.Event()

    def queries():
        yield Query(size=5, visits=1)
        while not ready.is_set():
            time.sleep(0.01)
            yield Query(size=5, visits=1)

    results = analysis.results(queries())
    next(results)
    ready.set()
    assert len(list(results)) < 1000


def test_players_who_leave_and_other_games():
    position = tanada.Position(size=9, players=3).play("leave", "white")
    with tanada.Analysis() as analysis:
        [result] = analysis.ask(position.query(visits=3))
    assert result.hash == position.hash


def test_many_results_keep_their_order(analysis):
    sizes = [6, 7, 9, 8] * 700
    queries = (Query(size=size, visits=1 + number % 3) for number, size in enumerate(sizes))
    for number, [result] in enumerate(analysis.results(queries)):
        assert result.visits == 1 + number % 3
    assert number == len(sizes) - 1


def test_results_are_taken_as_they_are_needed(analysis):
    taken = []

    def queries():
        for number in range(10_000):
            taken.append(number)
            yield Query(size=5, visits=1)

    results = analysis.results(queries())
    next(results)
    assert len(taken) <= 1024
    results.close()


def test_an_error_among_many_comes_in_its_place(analysis):
    results = analysis.results([Query(size=5, visits=1), Query(size=3), Query(size=5, visits=1)])
    assert next(results)[0].visits == 1
    with pytest.raises(tanada.QueryError):
        next(results)


def test_asyncio(analysis):
    async def run():
        return await asyncio.gather(*(analysis.ask_async(Query(size=7, visits=visits)) for visits in (5, 6, 7)))

    assert [result.visits for [result] in asyncio.run(run())] == [5, 6, 7]


def test_a_cancelled_search_ends():
    async def run(analysis):
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(analysis.ask_async(Query(size=9, visits=10**12)), 0.3)

    async def whole():
        async with tanada.Analysis(concurrency=1) as analysis:
            await run(analysis)
            # There is only one thread, so this waits for the end of the other search.
            return await analysis.ask_async(Query(size=9, visits=3))

    begun = time.monotonic()
    assert asyncio.run(whole())[0].visits == 3
    assert time.monotonic() - begun < 30


def test_reports_come_before_the_result(analysis):
    seen = []
    query = Query(size=9, visits=10**12, fields={"reportDuringSearchEvery": 0.05})
    ready = threading.Event()
    future = analysis.submit(query, lambda result: (seen.append(result), len(seen) < 3 or ready.set()))
    assert ready.wait(30)
    future.cancel()
    assert all(result.visits > 0 for result in seen)
    # What the function raises is the caller's.
    future = analysis.submit(query, lambda result: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        future.result(30)


def test_actions(analysis):
    assert analysis.ask_raw({"action": "query_version"})["version"].count(".") == 2
    with pytest.raises(tanada.QueryError, match="nonsense"):
        analysis.ask_raw({"action": "nonsense"})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"threads": 1000}, "invalid value `1000` for `--threads`"),
        ({"concurrency": 0}, "invalid value `0` for `--analysis-threads`"),
        ({"thread": 1}, "unknown parameter `thread`"),
        ({"program": "/nowhere"}, "cannot run `/nowhere`"),
    ],
)
def test_what_the_program_refuses_is_said(options, sentence):
    with pytest.raises(tanada.StartError) as caught:
        tanada.Analysis(**options)
    assert sentence in str(caught.value)


def test_nothing_is_left_behind():
    with tanada.Analysis() as analysis:
        future = analysis.submit(Query(size=9, visits=10**12))
        pid = analysis.pid
    assert_gone(pid)
    with pytest.raises(tanada.EngineDied, match="the engine was closed"):
        future.result()
    with pytest.raises(tanada.EngineDied, match="the engine was closed"):
        analysis.ask(Query(size=9))
    analysis.close()
    analysis = tanada.Analysis()
    pid = analysis.pid
    analysis.submit(Query(size=9, visits=10**12))
    del analysis
    gc.collect()
    assert_gone(pid)


def test_closing_does_not_wait_for_a_write():
    analysis = tanada.Analysis()
    os.kill(analysis.pid, signal.SIGSTOP)
    query = Query(size=9, fields={"x": "y" * 900_000})
    asker = threading.Thread(target=lambda: pytest.raises(tanada.EngineDied, analysis.ask, query))
    asker.start()
    time.sleep(0.3)
    begun = time.monotonic()
    analysis.close()
    assert time.monotonic() - begun < 5
    assert_gone(analysis.pid)
    asker.join(10)
    assert not asker.is_alive()


def test_a_killed_engine_raises_for_all_who_wait():
    with tanada.Analysis(concurrency=1) as analysis:
        futures = [analysis.submit(Query(size=9, visits=10**12)) for _ in range(20)]
        os.kill(analysis.pid, signal.SIGKILL)
        for future in futures:
            with pytest.raises(tanada.EngineDied, match="signal 9"):
                future.result(30)
        with pytest.raises(tanada.EngineDied):
            analysis.ask(Query(size=9))


def test_an_engine_that_hangs_is_killed(fake):
    with tanada.Analysis(program=fake(f"{ANSWERS}; sleep 1000 & wait"), timeout=0.5) as analysis:
        pid = analysis.pid
        with pytest.raises(tanada.EngineTimeout, match="did not answer in time"):
            analysis.ask(Query(size=9))
        assert_gone(pid)


def test_an_engine_without_queries_is_not_late(fake):
    with tanada.Analysis(program=fake(f"{ANSWERS}; sleep 1000 & wait"), timeout=0.3) as analysis:
        time.sleep(0.8)
        os.kill(analysis.pid, 0)


@pytest.mark.parametrize("line", ["nonsense", "[1]", "7", ""])
def test_an_engine_that_talks_nonsense_ends(fake, line):
    with tanada.Analysis(program=fake(f"{ANSWERS}; read line; echo '{line}'; sleep 1000 & wait")) as analysis:
        with pytest.raises(tanada.EngineDied, match=re.escape(f"the engine wrote `{line}`")):
            analysis.ask(Query(size=9))
        assert_gone(analysis.pid)
