"""`tanada.Position`: the rules, texts and records, arrays."""

import json
import multiprocessing
import os
import pickle
import signal
import threading

import numpy
import pytest
import tanada
from conftest import ROOT
from tanada import Position
from tanada.abstract_play import to_abstract_play
from tanada.referee import referee

GAMES = ROOT / "examples" / "games"


def four_players(moves):
    """A game of four after some moves."""
    position = Position(size=9, players=4)
    for _ in range(moves):
        position = position.play(position.legal_moves[0])
    return position


def test_a_start_is_named_like_an_option():
    start = Position(size=9)
    assert (start.game, start.size, start.players, start.to_move) == ("tanbo", 9, ("black", "white"), "black")
    assert (start.outcome, start.is_over, start.moves, start.emptied, start.parent) == (None, False, (), (), None)
    assert start.stones == {"B2": "black", "H8": "black", "B8": "white", "H2": "white"}
    assert start.board[0] == "." * 9 and start.board[1] == ".O.....X."
    assert Position().size == 19
    assert Position(size=7).stones != Position(size=7, setup="corners").stones
    assert Position(size=9, players=4).players == ("black", "white", "red", "green")
    assert Position(game="taratibu").to_move == "white"
    with pytest.raises(tanada.StartError, match="invalid value `99` for `--size`"):
        Position(size=99)


def test_playing_gives_another_position():
    start = Position(size=9)
    after = start.play("c2")
    assert start.moves == () and after.moves == (("black", "C2"),)
    assert after.parent == start and after.start == start
    assert after.stones["C2"] == "black" and "C2" not in start.stones
    assert start.play_all(["C2", "C8"]) == after.play("C8", "white")
    for move, color in (("A1", None), ("C2", "white"), ("nonsense", None), ("", None), ("pass", None), ("null", None), ("C2 C3", None), ("C2#", None),
                        ("C2\nquit", None), ("C2", "black C2")):
        with pytest.raises(tanada.IllegalMove):
            start.play(move, color)
    assert start.play("C2").hash == after.hash


def test_positions_are_equal_however_they_came_there():
    start = Position(size=9)
    one = start.play_all(["C2", "C8", "G8", "G2"])
    other = start.play_all(["G8", "G2", "C2", "C8"])
    assert one == other and hash(one) == hash(other) and one.moves != other.moves
    assert one != start and one != "text"
    assert one != one.play("C3")
    turned, mirrored = start.play("C2"), start.play("B3")
    assert turned != mirrored and turned.symmetric_hash == mirrored.symmetric_hash


def test_removed_stones_are_told():
    position = Position.from_text("4 b XX1O/X2O/4/O2X")
    while not position.is_over:
        before = position
        position = position.play(position.legal_moves[-1])
        point = position.moves[-1][1]
        gone = (set(before.stones) | {point}) - set(position.stones)
        assert set(position.emptied) == gone
    assert position.outcome == position.to_move and position.legal_moves == ()
    with pytest.raises(tanada.IllegalMove):
        position.play("A1")


def test_players_leave():
    position = Position(size=9, players=3)
    after = position.play("leave", "white")
    assert after.moves == (("white", "leave"),) and "white" not in after.stones.values()
    assert after.parent == position
    with pytest.raises(tanada.IllegalMove) as caught:
        after.play("leave", "white")
    assert caught.value.move == "leave"


def test_texts_go_there_and_back():
    for position in (
        Position(size=9).play_all(["C2", "C8"]),
        four_players(2),
        Position(game="taratibu"),
    ):
        again = Position.from_text(position.to_text(), position.game)
        assert again.board == position.board and again.to_move == position.to_move
        assert str(position) == position.to_text()
    assert Position.from_text("5 w X3O/5/5/5/O3X").stones["A1"] == "white"
    assert Position.from_text("#..o\n....\n....\no..#\n").stones["A4"] == "black"
    for text in ("nonsense", "", "X\0O", "X\tO\r"):
        with pytest.raises(tanada.TanadaError):
            Position.from_text(text)
    with pytest.raises(tanada.TanadaError):
        Position.from_text("5 w XX3/XX3/5/5/O3X")


def test_records_go_there_and_back():
    for position in (Position(size=9).play_all(["C2", "C8", "C3"]), four_players(6)):
        again = Position.from_record(position.to_record())
        assert again == position and again.moves == position.moves
    for path in sorted(GAMES.glob("*.sgf")):
        position = Position.from_record(path.read_text())
        assert len(position.moves) > 10
    game = Position.from_record((GAMES / "taratibu.txt").read_text(), "taratibu")
    assert game.moves
    again = Position.from_record(game.to_record(), "taratibu")
    assert again == game
    with pytest.raises(tanada.TanadaError):
        Position.from_record("nonsense")
    with pytest.raises(tanada.TanadaError, match="cannot have the character"):
        Position.from_record("\ud800")


def test_a_record_has_nothing_of_other_games():
    plain = Position(size=9).play("C2").to_record()
    named = Position.from_record(plain.replace("(;", "(;PB[Ann]", 1))
    assert Position(size=9).play("C2").to_record() == plain == named.to_record()


def test_the_text_of_a_record_counts_not_the_encoding_that_it_names():
    record = Position(size=9).play("C2").to_record()
    for encoding in ("Shift_JIS", "GBK", "UTF-8"):
        named = record.replace("CA[UTF-8]", f"CA[{encoding}]PB[\u8868\u00e9]")
        assert Position.from_record(named).moves == (("black", "C2"),)


def test_a_file_that_names_a_start_may_change(tmp_path):
    path = tmp_path / "start.txt"
    for text in ("X..O\n....\n....\nO..X\n", "XX.O\n....\n....\nO..X\n"):
        path.write_text(text)
        assert len(Position(setup=str(path)).stones) == text.count("X") + text.count("O")


def test_arrays_agree_with_the_board():
    position = four_players(5)
    stones, legal = position.stone_array(), position.legal_array()
    assert stones.dtype == numpy.int8 and legal.dtype == numpy.bool_
    for point, color in position.stones.items():
        assert stones[position.cell(point)] == position.players.index(color) + 1
        assert position.point(*position.cell(point)) == point
    assert int((stones > 0).sum()) == len(position.stones)
    assert {position.point(row, column) for row, column in zip(*legal.nonzero(), strict=True)} == set(
        position.legal_moves
    )
    for ask in (Position.stone_array, Position.legal_array, lambda position: position.stones):
        with pytest.raises(tanada.TanadaError, match="taratibu is not a game of stones"):
            ask(Position(game="taratibu"))
    for point in ("", "A0", "A10", "K1", "A", "1", "I5"):
        with pytest.raises(tanada.TanadaError, match="is not a point of the 9x9 board"):
            position.cell(point)
    with pytest.raises(tanada.TanadaError):
        position.point(-1, 0)
    with pytest.raises(TypeError):
        position.stones["A1"] = "black"


def test_positions_travel():
    position = Position(size=9).play_all(["C2", "C8"])
    assert pickle.loads(pickle.dumps(position)) == position


def _legal(position):
    return position.play(position.legal_moves[0]).hash


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_have_their_own_referee(method):
    positions = [Position(size=size).play("B3" if size > 8 else "A2") for size in (5, 6, 9)]
    expected = [_legal(position) for position in positions]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_legal, positions) == expected


def test_a_referee_that_was_killed_is_replaced():
    position = Position(size=9).play("C2")
    os.kill(referee("tanbo")._engine.pid, signal.SIGKILL)
    assert position.play("C8").to_move == "black"
    assert position.to_record().startswith("(;")


def test_threads_share_a_referee():
    failures = []

    def play(size):
        try:
            position = Position(size=size)
            while not position.is_over and len(position.moves) < 60:
                position = position.play(position.legal_moves[len(position.moves) % len(position.legal_moves)])
            assert all(color in ("black", "white") for color, _ in position.moves)
            assert position.start == Position(size=size)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=play, args=(size,)) for size in (4, 5, 6, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("size", [7, 11, 15, 19])
def test_records_of_abstract_play_go_there_and_back(size):
    position = Position(size=size, setup="dense")
    for ply in range(9):
        position = position.play(position.legal_moves[ply * 7 % len(position.legal_moves)])
    again = Position.from_record(to_abstract_play(position, ("Ann", "Bo")))
    assert again == position and again.moves == position.moves


def test_what_abstract_play_cannot_have():
    for position in (Position(size=9), Position(size=7, setup="corners"), Position(game="taratibu")):
        with pytest.raises(tanada.TanadaError, match="the server has no game with this start"):
            to_abstract_play(position)


def test_a_finished_game_of_abstract_play_has_a_result():
    position = Position(size=7)
    while not position.is_over:
        position = position.play(position.legal_moves[0])
    players = json.loads(to_abstract_play(position))["header"]["players"]
    assert sorted(player["result"] for player in players) == [0, 1]
    assert players[position.players.index(position.outcome)]["result"] == 1
    assert Position.from_record(to_abstract_play(position)) == position


def test_games_that_the_server_published_are_read():
    games = json.loads((ROOT / "tests" / "data" / "abstract-play.json").read_text())
    for game in games:
        position = Position.from_record(json.dumps(game))
        assert len(position.moves) == sum(map(len, game["moves"]))
