"""Finding the networks of a script that nobody named: by what goes into them and what comes out."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sleuth.rl.worlds import Coding

TORCH = ("torch", "stable_baselines3")  # a script that names neither is read by what it does alone
# Scores that are drawn from are a policy's; those of which only the largest counts are action values.
DRAWN = ("Categorical", "softmax", "multinomial", "log_prob", "gumbel", "distribution")
LARGEST = ("argmax", ".max(", "amax(")
# With one continuous action an actor and a critic look alike from outside: only a name tells them apart.
VALUED = ("critic", "value", "baseline", "vf", "v_net", "vnet")
BESIDE, JOINED = "critic", "joined"  # a critic of actions that takes them as a second word, or in one row


def scout_for(text: str, code: Coding) -> "Scout | None":
    """For a script that uses torch, where an observation is one array: an index or a dict looks like much."""
    shape = getattr(code.observation_space, "shape", None)
    if not shape or not any(word in text for word in TORCH):
        return None
    greedy = any(word in text for word in LARGEST) and not any(word in text for word in DRAWN)
    ranged = type(code.action_space).__name__ == "Box"
    width = math.prod(code.action_space.shape) if ranged else 0
    return Scout(tuple(shape), int(getattr(code.action_space, "n", -1)), greedy, width)


@dataclass
class Scout:
    """Networks that were called with an observation, and what came out of them."""

    shape: tuple[int, ...]
    actions: int
    greedy: bool = False  # the script takes the largest score and never draws by them
    width: int = 0  # numbers in a continuous action; 0 where actions are counted
    seen: dict[int, tuple[Any, tuple[tuple[int, str], ...]]] = field(default_factory=dict)
    made: list[Any] = field(default_factory=list)
    optimizers: int = 0

    def hook(self, module: Any, given: Any, out: Any) -> None:
        if id(module) in self.seen or not given or not hasattr(given[0], "shape"):
            return
        shape = tuple(given[0].shape)
        heads: tuple[tuple[int, str], ...] = ()
        if self.width and (role := self._critic(given)):
            heads = tuple((place, role) for place, _ in _heads(out, self.actions, len(shape)))[:1]
        elif self._is_observation(shape):
            heads = _heads(out, self.actions, len(shape) - len(self.shape) + 1)
            if self.width and isinstance(out, tuple):
                heads = ()  # the mean of an action and its spread, each as wide as a value
        if heads:
            self.seen[id(module)] = (module, heads)

    def _critic(self, given: Any) -> str:
        """How a network that values actions was given one; empty where it saw an observation alone."""
        shapes = [tuple(part.shape) for part in given if hasattr(part, "shape")]
        if len(shapes) > 1 and self._is_observation(shapes[0]) and shapes[1][-1:] == (self.width,):
            return BESIDE
        together = len(self.shape) == 1 and shapes[0][-1:] == (self.shape[0] + self.width,)
        return JOINED if together and len(shapes) == 1 else ""

    def _is_observation(self, shape: tuple[int, ...]) -> bool:
        return len(shape) >= len(self.shape) and shape[len(shape) - len(self.shape) :] == self.shape

    def agent(self, acts: Callable[[Any], float] = lambda _: 0.0) -> dict[str, Any]:
        """`value`, `q` and `policy`, as far as networks were found for them.

        `acts`: the continuous action of the agent in an observation. What a critic of actions says of it is
        the value of the observation; how an actor squashes and scales what it says cannot be seen, so that
        its policy is what it does.
        """
        found: dict[str, Any] = {}
        values, scores = self._values(), self._with("scores")
        owner = self._owner("get_value")
        if owner is not None:  # it knows how its input is scaled; a network inside it does not
            found["value"] = _calling(owner, owner.get_value)
        elif critics := [*self._with(BESIDE), *self._with(JOINED)]:
            module = critics[0][0]
            found["value"] = _valuing(module, self.seen[id(module)][1][0][1], acts, self.width)
        elif values:
            found["value"] = _asking(*values[0])
        if scores:
            found["q" if self._is_q(scores, bool(found)) else "policy"] = _asking(*scores[0])
        return found

    def _values(self) -> list[tuple[Any, int]]:
        values = self._with("value")
        return [(module, place) for module, place in values if self._valued(module)] if self.width else values

    def _valued(self, module: Any) -> bool:
        """Whether its class, or what the agent calls it, says that it is a value."""
        paths = [path for own in self.made for path, part in own.named_modules() if part is module]
        return any(word in name.lower() for name in (type(module).__name__, *paths) for word in VALUED)

    def _with(self, role: str) -> list[tuple[Any, int]]:
        """Those that learn come first: a target network never gets a gradient."""
        fits = [
            (module, place) for module, heads in self.seen.values() for place, name in heads if name == role
        ]
        return sorted(fits, key=lambda fit: not any(p.grad is not None for p in fit[0].parameters()))

    def _owner(self, method: str) -> Any:
        """The one that learns: some scripts keep a copy of their agent."""
        owners = [module for module in self.made if callable(getattr(module, method, None))]
        learning = [own for own in owners if any(p.grad is not None for p in own.parameters())]
        return next(iter([*learning, *owners]), None)

    def _is_q(self, scores: list[tuple[Any, int]], has_value: bool) -> bool:
        """By what the script does with scores, by name, or by a copy beside it that never learns."""
        if self.greedy:
            return True
        names = [type(module).__name__.lower() for module, _ in scores]
        owners = [type(module).__name__.lower() for module in self.made]
        if any(name.startswith("q") or "dqn" in name or "dueling" in name for name in names + owners):
            return True
        learns = [any(p.grad is not None for p in module.parameters()) for module, _ in scores]
        return not has_value and len(scores) > 1 and not all(learns)

    def attach(self, updated: Callable[..., None]) -> None:
        """Watch every network and every optimizer of this process."""
        import torch
        from torch.optim.optimizer import register_optimizer_step_post_hook

        torch.nn.modules.module.register_module_forward_hook(self.hook)
        register_optimizer_step_post_hook(updated)
        begin_module, begin_optimizer = torch.nn.Module.__init__, torch.optim.Optimizer.__init__
        scout = self

        def noted(self: Any, *words: Any, **named: Any) -> None:
            begin_module(self, *words, **named)
            if type(self).__module__ == "__main__":
                scout.made.append(self)

        def counted(self: Any, *words: Any, **named: Any) -> None:
            scout.optimizers += 1
            begin_optimizer(self, *words, **named)

        torch.nn.Module.__init__ = noted  # type: ignore[method-assign]
        torch.optim.Optimizer.__init__ = counted  # type: ignore[method-assign]


def _heads(out: Any, actions: int, dimensions: int) -> tuple[tuple[int, str], ...]:
    """Where in the answer a value stands, and where one number an action.

    `dimensions`: those of an answer with one row an observation. Actions and log-probabilities have one less.
    """
    parts = out if isinstance(out, tuple) else (out,)
    heads = []
    for place, part in enumerate(parts):
        part = getattr(part, "logits", part)
        if not hasattr(part, "shape"):
            continue
        if part.ndim == dimensions:
            role = {1: "value", actions: "scores"}.get(int(part.shape[-1]))
        else:  # a critic may drop its last dimension; alone, and in real numbers, nothing else does
            squeezed = part.ndim == dimensions - 1 and part.is_floating_point() and len(parts) == 1
            role = "value" if squeezed else None
        if role is not None:
            heads.append((place, role))
    return tuple(heads)


def _asking(module: Any, place: int) -> Callable[[Any], Any]:
    def answer(part: Any) -> Any:
        found = part[place] if isinstance(part, tuple) else part
        return getattr(found, "logits", found)

    return _calling(module, lambda shown: answer(module(shown)))


def _valuing(module: Any, role: str, acts: Callable[[Any], float], width: int) -> Callable[[Any], Any]:
    """What a critic of actions says of the action that the agent takes."""

    def ask(shown: Any) -> Any:
        import torch

        action = torch.full((1, width), acts(shown[0].numpy()))
        out = module(shown, action) if role == BESIDE else module(torch.cat([shown, action], -1))
        return out[0] if isinstance(out, tuple) else out

    return _calling(module, ask)


def _calling(module: Any, ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Ask a network politely: no gradients, evaluation mode, everything as it was afterwards."""

    def asked(obs: Any) -> Any:
        import numpy as np
        import torch

        modes = [(part, part.training) for part in module.modules()]
        state = torch.get_rng_state()
        module.eval()
        try:
            with torch.no_grad():
                return ask(torch.as_tensor(np.asarray(obs, np.float32)[None])).reshape(-1)
        finally:
            torch.set_rng_state(state)
            for part, mode in modes:
                part.training = mode

    return asked
