"""Unit checks for the functions that go wrong most: returns, GAE, n-step targets, running normalisers."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sleuth.errors import SleuthError
from sleuth.judge.asking import findings_of
from sleuth.needs import need
from sleuth.rl.checked_sums import CheckedSums
from sleuth.rl.outcome import UnitCheck
from sleuth.rl.sums import FLAWS, Reference, Rollout, Way, gae, nstep, returns

CLOSE = 1e-3  # float32 sums over a dozen rows are good to 1e-5
RANDOM = 30

# A parameter's name → what it is given.
NAMES: Mapping[str, re.Pattern[str]] = {
    "gamma": re.compile(r"gamma|discount", re.I),
    "lam": re.compile(r"lam|lmbda|tau", re.I),
    "next_done": re.compile(r"(next|last)_?(done|term)", re.I),
    "after": re.compile(r"next_?v(al)?(ue)?s|bootstrap_?values|v_?next|values_?next|next_?q", re.I),
    "last": re.compile(r"(last|next|final|bootstrap)_?(v(al)?(ue)?|q)?$|^R$", re.I),
    "truncated": re.compile(r"trunc|timeout|time_?limit", re.I),
    "masks": re.compile(r"mask|not_?done|nonterm|continue", re.I),
    "terminated": re.compile(r"term|done|ended|^d$|episode_?end", re.I),
    "rewards": re.compile(r"rew|^rs?$", re.I),
    "values": re.compile(r"val|^vs?$|baseline|q", re.I),
    "n": re.compile(r"^n$|n_?step|steps|horizon|^k$", re.I),
}


def check_returns(fn: Callable[..., Any]) -> UnitCheck:
    """Discounted returns: fn(rewards, dones, gamma, ...) by the names of its parameters."""
    return _checked(fn, returns, "returns")


def check_gae(fn: Callable[..., Any]) -> UnitCheck:
    """Generalised advantages: fn(rewards, values, dones, last_value, gamma, lam) by parameter names."""
    return _checked(fn, gae, "advantages")


def check_nstep(fn: Callable[..., Any]) -> UnitCheck:
    """n-step targets: fn(rewards, next_values, dones, gamma, n) by the names of its parameters."""
    return _checked(fn, nstep, "n-step targets")


def rollouts(truncation: bool) -> Iterator[tuple[str, Rollout]]:
    """Hand-made cases, each for one place where sums go wrong, and random ones."""
    yield "no end", _rollout(1, 6)
    yield "an end in the middle", _rollout(2, 6, ends={2})
    yield "an end in the last row", _rollout(3, 6, ends={5})
    yield "back-to-back ends", _rollout(4, 7, ends={2, 3})
    if truncation:
        yield "a time limit in the middle", _rollout(5, 6, limits={2})
        yield "a time limit in the last row", _rollout(6, 6, limits={5})
    for seed in range(RANDOM):
        yield f"random case {seed}", _random(100 + seed, truncation)


def _rollout(
    seed: int, length: int, ends: frozenset[int] | set[int] = frozenset(), limits: set[int] | None = None
) -> Rollout:
    import random

    chance = random.Random(seed)
    values = [chance.uniform(-2, 2) for _ in range(length + 1)]
    limits = limits or set()
    # After a limit the next row is a new episode: the value of the final observation is a number of its own.
    after = [chance.uniform(-2, 2) if t in limits else values[t + 1] for t in range(length)]
    return Rollout(
        tuple(chance.uniform(-1, 1) for _ in range(length)),
        tuple(values[:length]),
        tuple(after),
        tuple(t in ends for t in range(length)),
        tuple(t in limits for t in range(length)),
        gamma=chance.choice((0.8, 0.9, 0.97)),
        lam=chance.choice((0.5, 0.7, 0.9)),
        n=chance.choice((2, 3, 4)),
    )


def _random(seed: int, truncation: bool) -> Rollout:
    import random

    chance = random.Random(seed)
    length = chance.randint(3, 14)
    ends = {t for t in range(length) if chance.random() < 0.25}
    limits = {t for t in range(length) if truncation and t not in ends and chance.random() < 0.2}
    return _rollout(seed, length, ends, limits)


def _checked(fn: Callable[..., Any], reference: Reference, what: str) -> UnitCheck:
    need("numpy", "rl", "`sleuth.rl` checks")
    roles = _roles(fn)
    truncation = "truncated" in roles.values() and "after" in roles.values()
    valued = bool({"after", "last", "values"} & set(roles.values()))
    cases = [
        (label, case if valued else _worthless(case))
        for label, case in rollouts(truncation)
        if _fits(case, roles)
    ]
    call = _caller(fn, roles, cases[0][1], reference)
    outputs = [(label, case, call(case)) for label, case in cases]
    name = getattr(fn, "__name__", "function")
    wrong = tuple(label for label, case, got in outputs if not _same(got, reference(case, Way())))
    if not wrong:
        return UnitCheck(name, True, len(cases))
    seen = _seen_wrong(name, what, reference, outputs, wrong)
    return UnitCheck(name, False, len(cases), wrong, seen.flaw, findings_of("check_sums", seen))


def _seen_wrong(
    name: str,
    what: str,
    reference: Reference,
    outputs: Sequence[tuple[str, Rollout, Any]],
    wrong: tuple[str, ...],
) -> CheckedSums:
    flaw = next((flaw for flaw in FLAWS if _reproduces(flaw, reference, outputs)), "")
    _, case, got = next(entry for entry in outputs if entry[0] == wrong[0])
    right = tuple(reference(case, Way()))
    return CheckedSums(name, what, len(outputs), wrong, flaw, tuple(got), right, any(case.ended))


def _reproduces(flaw: str, reference: Reference, outputs: Sequence[tuple[str, Rollout, Any]]) -> bool:
    """Every output, cases that the flaw leaves alone included."""
    return all(_same(got, reference(case, FLAWS[flaw].way)) for _, case, got in outputs)


def _same(got: Any, right: Sequence[float]) -> bool:
    if got is None or len(got) != len(right):
        return False
    return all(abs(a - b) <= CLOSE * (1 + abs(b)) for a, b in zip(got, right, strict=True))


def _roles(fn: Callable[..., Any]) -> dict[str, str]:
    """Parameter → what it means, by its name."""
    roles: dict[str, str] = {}
    for name, parameter in inspect.signature(fn).parameters.items():
        role = next((role for role, pattern in NAMES.items() if pattern.search(name)), None)
        if role is not None and role not in roles.values():
            roles[name] = role
        elif parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_KEYWORD,
            parameter.VAR_POSITIONAL,
        ):
            known = "rewards, values, next_values, dones, terminated, truncated, last_value, gamma, lam, n"
            raise SleuthError(f"Nothing is known to give for the parameter {name!r}; known names: {known}.")
    if "rewards" not in roles.values():
        raise SleuthError("The function takes no parameter named like rewards.")
    return roles


def _worthless(case: Rollout) -> Rollout:
    """For functions that take no values: nothing comes after the last row."""
    nothing = (0.0,) * len(case.rewards)
    return replace(case, values=nothing, after=nothing)


def _fits(case: Rollout, roles: Mapping[str, str]) -> bool:
    """Functions that see neither ends nor values get only what they can know."""
    return bool(set(roles.values()) & {"terminated", "masks"}) or not any(case.ended)


def _caller(
    fn: Callable[..., Any], roles: Mapping[str, str], first: Rollout, reference: Reference
) -> Callable[[Rollout], Any]:
    """The arrays that the function accepts: NumPy or torch, flat or with a column for one copy."""
    errors = []
    for wrap in _wraps():

        def call(case: Rollout, wrap: Callable[[Sequence[float]], Any] = wrap) -> Any:
            return _flat(fn(**_arguments(roles, case, wrap)), len(case.rewards), roles)

        try:
            if len(call(first)) == len(first.rewards):
                return call
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")
    raise SleuthError(
        f"The function cannot be called on a rollout of {len(first.rewards)} steps: {errors[0]}."
    )


def _wraps() -> Iterator[Callable[[Sequence[float]], Any]]:
    import numpy as np

    yield lambda row: np.array(row, np.float32)
    yield list
    from importlib.util import find_spec

    if find_spec("torch") is not None:
        import torch

        yield lambda row: torch.tensor(row, dtype=torch.float32)
        yield lambda row: torch.tensor(row, dtype=torch.float32).reshape(-1, 1)
    yield lambda row: np.array(row, np.float32).reshape(-1, 1)


def _arguments(
    roles: Mapping[str, str], case: Rollout, wrap: Callable[[Sequence[float]], Any]
) -> dict[str, Any]:
    known = set(roles.values())
    done = [float(flag) for flag in (case.terminated if "truncated" in known else case.ended)]
    if "next_done" in known:  # the flag of a row says how the step *before* it ended
        done, final = [0.0, *done[:-1]], done[-1]
    else:
        final = 0.0
    bare = "after" not in known and "last" not in known and "values" in known
    given = {
        "rewards": wrap(case.rewards),
        "values": wrap([*case.values, case.after[-1]] if bare else case.values),
        "after": wrap(case.after),
        "terminated": wrap(done),
        "masks": wrap([1.0 - flag for flag in done]),
        "truncated": wrap([float(flag) for flag in case.truncated]),
        "last": wrap([case.after[-1]])[0] if wrap is not list else case.after[-1],
        "next_done": final,
        "gamma": case.gamma,
        "lam": case.lam,
        "n": case.n,
    }
    return {name: given[role] for name, role in roles.items()}


def _flat(answer: Any, length: int, roles: Mapping[str, str]) -> list[float]:
    from sleuth.rl.reading import plain

    if isinstance(answer, list):
        answer = [float(x) for x in answer]
    numbers = plain(answer).reshape(-1)
    return [float(x) for x in numbers[:length]]
