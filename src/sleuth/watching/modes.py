"""The doors of a module's own verbs: train and eval, zero_grad, load_state_dict."""

import weakref
from dataclasses import replace
from typing import Any

from sleuth.record.entries import Load
from sleuth.watching.models import Births, model_of
from sleuth.watching.state import State
from sleuth.watching.tensors import address_of


def attach(state: State, patches: Any, births: Births) -> None:
    import torch

    inside = [False]

    def moded(original: Any) -> Any:
        def train(self: Any, mode: bool = True) -> Any:
            if inside[0] or state.off or torch.compiler.is_compiling():
                return original(self, mode)
            inside[0] = True
            try:
                result = original(self, mode)
            finally:
                inside[0] = False
            _safely(state, _mode, state, births, self, mode)
            return result

        return train

    def cleared(original: Any) -> Any:
        def zero_grad(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not state.off and not torch.compiler.is_compiling():
                _safely(state, _cleared, state, births, self)
            return original(self, *args, **kwargs)

        return zero_grad

    def loaded(original: Any) -> Any:
        def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            if state.loads and not state.off:
                _safely(state, tell_loads, state)  # another load is no fresh start
            result = original(self, state_dict, *args, **kwargs)
            if not state.off:
                strict = args[0] if args else kwargs.get("strict", True)
                _safely(state, _loaded, state, births, self, state_dict, result, strict)
            return result

        return load_state_dict

    patches.replace(torch.nn.Module, "train", moded)
    patches.replace(torch.nn.Module, "zero_grad", cleared)
    patches.replace(torch.nn.Module, "load_state_dict", loaded)


def _safely(state: State, function: Any, *args: Any) -> None:
    try:
        function(*args)
    except Exception as error:
        state.give_up(error)


def _mode(state: State, births: Births, module: Any, mode: bool) -> None:
    state.pass_number += 1
    entry = model_of(state, births, module)
    if entry is not None:
        state.event_here("train" if mode else "eval", entry.id)


def _cleared(state: State, births: Births, module: Any) -> None:
    entry = model_of(state, births, module)
    if entry is None:
        return
    state.event_here("zero_grad_model", entry.id)
    mine = {id(part) for part in module.parameters()}
    for held in state.optimizers.values():
        if any(id(part) in mine for part in held.parameters()[:1]):
            held.dirty, held.left_over = False, 0.0


def _loaded(state: State, births: Births, module: Any, given: Any, result: Any, strict: bool) -> None:
    entry = model_of(state, births, module)
    path, line = state.event_here("load", entry.id if entry is not None else 0)
    missing = len(getattr(result, "missing_keys", ()))
    unexpected = len(getattr(result, "unexpected_keys", ()))
    item = Load(
        line=line,
        path=path,
        n=state.n,
        strict=bool(strict),
        matched=max(0, len(given) - unexpected),
        missing=missing,
        unexpected=unexpected,
        own=births.places.get(module, (None, -1))[1] == state.n and _its_own(module, given),
    )
    versions = [(weakref.ref(part), part._version) for part in module.parameters()]
    state.loads.append((item, versions))


def _its_own(module: Any, given: Any) -> bool:
    """`own = model.state_dict()`, filled up with what fits, and nothing did: they are the same still."""
    parts = dict(module.named_parameters())
    handed = [given.get(name) for name in parts]
    return bool(parts) and all(
        (address := address_of(tensor)) is not None and address == address_of(part)
        for tensor, part in zip(handed, parts.values(), strict=True)
    )


def tell_loads(state: State) -> None:
    """Written at the next call of a model: by then it shows whether something wrote over what was loaded."""
    for item, versions in state.loads:
        found = [(part(), version) for part, version in versions]
        alive = [(part, version) for part, version in found if part is not None]
        # Some that are gone were left behind on purpose (a decoder); all of them, and nothing is left of it.
        changed = not alive or any(part._version > version for part, version in alive)
        # Where no module is called, training itself has written by then.
        state.put(replace(item, overwritten=changed and state.n == item.n))
    state.loads.clear()
