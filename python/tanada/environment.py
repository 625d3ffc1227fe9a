"""Tanbo as an environment of PettingZoo (AEC). Needs PettingZoo: ``pip install tanada[environment]``.

>>> environment = TanboEnvironment(size=5)
>>> environment.reset()
>>> observation, reward, ended, truncated, info = environment.last()
>>> legal = observation["action_mask"].nonzero()[0]
>>> environment.step(legal[0])
>>> environment.agent_selection
'white'
"""

from typing import Any

import gymnasium
import numpy
from pettingzoo import AECEnv  # type: ignore[import-untyped]

from .position import Position


class TanboEnvironment(AECEnv):  # type: ignore[misc]
    """Tanbo for two to four agents, who are named by their colours.

    An action is the number of a point: row from the top times the points of a row, plus column from the left. An
    observation is a dictionary:

    - ``observation``: the stones, an array of 0 and 1 of the form (players, size, size). The first plane has the stones
      of the agent, the next one those of the player who follows, and so on.
    - ``action_mask``: 1 for each legal action; all 0 when it is not the agent's turn.

    The winner's reward is 1, that of everybody else -1, when they are out or the game ends. An illegal action raises
    `tanada.IllegalMove`.
    """

    metadata = {"name": "tanbo_v0", "render_modes": ["ansi", "human"], "is_parallelizable": False}

    def __init__(
        self,
        *,
        size: int = 9,
        setup: str | None = None,
        players: int = 2,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.render_mode = render_mode
        self._start = Position(size=size, setup=setup, players=players)
        self._size = self._start.size
        self.possible_agents = list(self._start.players)
        shape = (len(self.possible_agents), self._size, self._size)
        stones = gymnasium.spaces.Box(0, 1, shape, numpy.int8)
        mask = gymnasium.spaces.Box(0, 1, (self._size**2,), numpy.int8)
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict({"observation": stones, "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(self._size**2) for agent in self.possible_agents}
        self.position = self._start

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game. Nothing is random, so ``seed`` has no effect."""
        self.position = self._start
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.position.to_move

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees."""
        stones = self.position.stone_array()
        first = self.possible_agents.index(agent)
        count = len(self.possible_agents)
        planes = [stones == (first + seat) % count + 1 for seat in range(count)]
        mask = numpy.zeros(self._size**2, numpy.int8)
        if not self.position.is_over and agent == self.position.to_move:
            mask[self.position.legal_array().reshape(-1)] = 1
        return {"observation": numpy.stack(planes).astype(numpy.int8), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays a move, or takes an agent out who has lost (``None``)."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        row, column = divmod(int(action), self._size)
        self.position = self.position.play(self.position.point(row, column))
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        alive = set(self.position.stones.values())
        for other in self.agents:
            if self.terminations[other]:
                continue
            if self.position.is_over:
                self.rewards[other] = 1 if other == self.position.outcome else -1
                self.terminations[other] = True
            elif other not in alive:
                self.rewards[other] = -1
                self.terminations[other] = True
        self._accumulate_rewards()
        self.agent_selection = self.position.to_move
        # Those who are out leave before the next move.
        self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The board as text: returned for the mode ``ansi``, printed for ``human``."""
        text = "\n".join(" ".join(row) for row in self.position.board) + "\n"
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Nothing is left open."""
