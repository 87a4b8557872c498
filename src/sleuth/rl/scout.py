"""Finding the networks of a script that nobody named: by what goes into them and what comes out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sleuth.rl.worlds import Coding

TORCH = ("torch", "stable_baselines3")  # a script that names neither is read by what it does alone
# Scores that are drawn from are a policy's; those of which only the largest counts are action values.
DRAWN = ("Categorical", "softmax", "multinomial", "log_prob", "gumbel", "distribution")
LARGEST = ("argmax", ".max(", "amax(")


def scout_for(text: str, code: Coding) -> "Scout | None":
    """For a script that uses torch, where an observation is one array: an index or a dict looks like much."""
    shape = getattr(code.observation_space, "shape", None)
    if not shape or not any(word in text for word in TORCH):
        return None
    greedy = any(word in text for word in LARGEST) and not any(word in text for word in DRAWN)
    return Scout(tuple(shape), int(getattr(code.action_space, "n", -1)), greedy)


@dataclass
class Scout:
    """Networks that were called with an observation, and what came out of them."""

    shape: tuple[int, ...]
    actions: int
    greedy: bool = False  # the script takes the largest score and never draws by them
    seen: dict[int, tuple[Any, tuple[tuple[int, str], ...]]] = field(default_factory=dict)
    made: list[Any] = field(default_factory=list)
    optimizers: int = 0

    def hook(self, module: Any, given: Any, out: Any) -> None:
        if id(module) in self.seen or not given or not hasattr(given[0], "shape"):
            return
        shape = tuple(given[0].shape)
        if self._is_observation(shape):
            heads = _heads(out, self.actions, len(shape) - len(self.shape) + 1)
            if heads:
                self.seen[id(module)] = (module, heads)

    def _is_observation(self, shape: tuple[int, ...]) -> bool:
        return len(shape) >= len(self.shape) and shape[len(shape) - len(self.shape) :] == self.shape

    def agent(self) -> dict[str, Any]:
        """`value`, `q` and `policy`, as far as networks were found for them."""
        found: dict[str, Any] = {}
        values, scores = self._with("value"), self._with("scores")
        owner = self._owner("get_value")
        if owner is not None:  # it knows how its input is scaled; a network inside it does not
            found["value"] = _calling(owner, owner.get_value)
        elif values:
            found["value"] = _asking(*values[0])
        if scores:
            found["q" if self._is_q(scores, bool(found)) else "policy"] = _asking(*scores[0])
        return found

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
