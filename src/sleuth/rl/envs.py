"""The Gymnasium environments behind the probes. Imported only where Gymnasium is in use."""

from typing import Any

import gymnasium
import numpy as np

from sleuth.rl.tables import Table
from sleuth.rl.worlds import Coding, Witness

# An agent that seeds a generator as it seeds its environment would draw the very numbers that choose the
# state: what it explores would follow what it sees.
OWN = 0x51E07


def _stream(seed: int) -> np.random.Generator:
    return np.random.default_rng((OWN, seed))


class ProbeEnv(gymnasium.Env[Any, Any]):
    """Walks through a table. Uneven actions mix the rewards, and the likelier action decides the way."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, table: Table, code: Coding, witness: Witness) -> None:
        self.table, self.code, self.witness = table, code, witness
        self.observation_space, self.action_space = code.observation_space, code.action_space
        self.render_mode = None
        self.state: int | None = None
        self.ended = ""
        self.total = 0.0
        self.restart: int | None = None
        witness.copies += 1
        self.chance = _stream(witness.copies)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self.chance = _stream(seed)
        self.witness.resets += 1
        starts = self.table.starts if self.restart is None else (self.restart,)
        self.restart, self.ended, self.total = None, "", 0.0
        self.state = self._one_of(starts)
        return self._shown(self.state), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._note_misuse()
        self.witness.count()
        state = 0 if self.state is None else self.state
        weight = self._weight(action)
        if self.table.targets:
            return self._aimed(state, weight)
        self.witness.moves.append((state, weight))
        one, two = self.table.moves[state]
        move = two if weight >= 0.5 else one
        reward = one.reward * (1.0 - weight) + two.reward * weight
        self.total += reward
        if move.end:
            self.ended, self.restart = move.end, move.restart
            self.witness.returns.append(self.total)
        final = self._one_of(move.to) if move.to else None
        self.state = state if final is None else final
        return self._shown(final), reward, move.end == "terminated", move.end == "truncated", {}

    def _aimed(self, state: int, given: float) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step, a continuous action: the reward falls with the distance to the target of the state."""
        low, high = self.table.bounds
        self.witness.outside += not low - 1e-5 <= given <= high + 1e-5
        value = min(max(given, low), high)
        reward = 1.0 - abs(value - self.table.targets[state])
        self.witness.moves.append((state, value))
        self.witness.returns.append(reward)
        self.ended = "terminated"
        return self._shown(None), reward, True, False, {}

    def _one_of(self, states: tuple[int, ...]) -> int:
        return states[0] if len(states) == 1 else states[int(self.chance.random() * len(states))]

    def _shown(self, state: int | None) -> Any:
        """A copy: an agent may write into what it gets."""
        shown = self.code.blank if state is None else self.code.observations[state]
        if isinstance(shown, dict):
            return {key: value.copy() for key, value in shown.items()}
        return shown.copy() if hasattr(shown, "copy") else shown

    def _weight(self, action: Any) -> float:
        try:
            return self.code.weight(action)
        except (TypeError, ValueError) as error:
            shape = getattr(action, "shape", "")
            raise ValueError(
                f"The agent gave {type(action).__name__} {shape} as an action for {self.action_space}."
            ) from error

    def _note_misuse(self) -> None:
        witness = self.witness
        if self.state is None:
            witness.before_reset += 1
        elif self.ended == "terminated":
            witness.after_end += 1
        elif self.ended == "truncated":
            witness.after_limit += 1
        self.ended = ""
