"""1,000 random games of each game through `tanada.Position`, against models of the rules that share nothing with the
engine."""

import random
import sys

import tanada
from conftest import ROOT
from taratibu_model import Model
from tanada import Position

sys.path.insert(0, str(ROOT / "scripts" / "check"))

from strict_model import COLOURS, Board, name  # noqa: E402

#: Sizes and players, the short games more often.
BOARDS = [(4, 2)] * 4 + [(5, 2)] * 5 + [(6, 2)] * 4 + [(7, 2)] * 3 + [(8, 2), (9, 2), (9, 3), (9, 4)]
GAMES = 1000


def compare(position, board):
    """Checks everything that a position tells of a game of Tanbo."""
    winner = board.winner()
    assert position.outcome == (COLOURS[winner] if winner else None)
    assert position.stones == {name(point): COLOURS[color] for point, color in board.stones.items()}
    assert [" ".join(row) for row in position.board] == board.rows()
    assert set(position.legal_moves) == {name(point) for point in board.legal(board.to_move)}
    if winner is None:
        assert position.to_move == COLOURS[board.to_move]


def test_games_of_tanbo():
    chance = random.Random(1)
    starts = {(size, players): Position(size=size, players=players) for size, players in set(BOARDS)}
    for game in range(GAMES):
        position = starts[BOARDS[game % len(BOARDS)]]
        letters = {color: letter for letter, color in COLOURS.items()}
        stones = {position.cell(point): letters[color] for point, color in position.stones.items()}
        # The model counts rows from the bottom.
        stones = {(column, position.size - 1 - row): letter for (row, column), letter in stones.items()}
        board = Board(position.size, stones)
        while not position.is_over:
            move = chance.choice(position.legal_moves)
            emptied = board.play(board.vertex(move))
            position = position.play(move)
            assert set(position.emptied) == {name(point) for point in emptied}
            compare(position, board)
    assert game == GAMES - 1


def choose(model, legal, chance, hunger):
    """A random step; with the probability `hunger` one that captures, because random games are draws otherwise."""
    legal = sorted(legal)
    taken = [step for step in legal if model.board()[7 - int(step[3])][int(step[2]) - 1] != "."]
    return chance.choice(taken if taken and chance.random() < hunger else legal)


def test_games_of_taratibu():
    chance = random.Random(1)
    start = Position(game="taratibu")
    outcomes = dict.fromkeys(("white", "black", "draw"), 0)
    for game in range(GAMES):
        position, model = start, Model()
        while not position.is_over:
            assert set(position.legal_moves) == model.legal()
            assert position.to_move == model.to_move
            assert list(position.board) == model.board()
            step = choose(model, model.legal(), chance, (0.0, 0.5, 1.0)[game % 3])
            model.play(step)
            position = position.play(step)
            assert position.outcome == model.outcome()
        outcomes[position.outcome] += 1
    assert all(outcomes.values()), outcomes


def test_illegal_moves_of_tanbo_are_refused():
    chance = random.Random(2)
    position = Position(size=6)
    while not position.is_over:
        points = {position.point(row, column) for row in range(6) for column in range(6)}
        for point in chance.sample(sorted(points - set(position.legal_moves)), 3):
            try:
                position.play(point)
            except tanada.IllegalMove as error:
                assert error.move == point
            else:
                raise AssertionError(point)
        position = position.play(chance.choice(position.legal_moves))
