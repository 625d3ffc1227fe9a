"""`tanada.environment`: PettingZoo's own tests, and whole games."""

import numpy
import pytest
import tanada
from pettingzoo.test import api_test, render_test, seed_test
from tanada.environment import TanboEnvironment


@pytest.mark.parametrize("options", [{"size": 5}, {"size": 9, "players": 3}, {"size": 9, "players": 4}])
def test_the_api(options):
    api_test(TanboEnvironment(**options), num_cycles=300)


def test_seeds_and_rendering():
    seed_test(lambda: TanboEnvironment(size=5), num_cycles=100)
    render_test(lambda render_mode: TanboEnvironment(size=5, render_mode=render_mode))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_have_one_winner(players):
    environment = TanboEnvironment(size=9, players=players)
    random = numpy.random.default_rng(players)
    for _ in range(3):
        environment.reset()
        totals = dict.fromkeys(environment.agents, 0)
        for agent in environment.agent_iter():
            observation, reward, ended, truncated, _ = environment.last()
            totals[agent] += reward
            if ended or truncated:
                environment.step(None)
                continue
            mask = observation["action_mask"]
            legal = {environment.position.point(*divmod(int(cell), 9)) for cell in mask.nonzero()[0]}
            assert legal == set(environment.position.legal_moves)
            # The agent's own stones are in the first plane.
            own = {point for point, color in environment.position.stones.items() if color == agent}
            assert int(observation["observation"][0].sum()) == len(own)
            environment.step(random.choice(mask.nonzero()[0]))
        assert sorted(totals.values()) == [-1] * (players - 1) + [1]
        assert totals[environment.position.outcome] == 1


def test_an_illegal_action_raises():
    environment = TanboEnvironment(size=9)
    environment.reset()
    with pytest.raises(tanada.IllegalMove):
        environment.step(0)
