"""Targets that bootstrap: a reward, a discount, and a later value that a network or a table gives."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sleuth.source import torch_api
from sleuth.source.flow import number, possible, root
from sleuth.source.interpreter.values import Call, Carried, Collection, Either, Instance, Unknown, Value
from sleuth.source.topics.episodes.names import words
from sleuth.source.word_search import Pattern

_DISCOUNT = Pattern(r"gamma|discount", re.I)
_NETWORK = Pattern(r"net|critic|value|(^|[.@_])[qv]\d?$|q_|_q|target|policy|model|agent", re.I)


class Bootstrap(NamedTuple):
    """`reward + gamma * (...) * next value`: the sum, its immediate part and the factors of the later one."""

    call: Call
    immediate: Value
    discount: Value
    factors: tuple[Value, ...]


def product(value: Value | None, depth: int = 8) -> Iterator[Value]:
    """The factors of a product."""
    if isinstance(value, Call) and value.result is not None and depth:
        yield from product(value.result, depth - 1)
    elif isinstance(value, Call) and value.op in ("*", ".mul", "torch.mul") and depth:
        parts = (value.receiver, *value.args) if value.op == ".mul" else value.args
        for part in parts:
            yield from product(part, depth - 1)
    elif value is not None:
        yield value


def arms_of(later: Value) -> list[Value]:
    """`0.0 if done else gamma * v`: what the branches give, the values of more than one way only."""
    return possible(later) if isinstance(later, Either) else []


def discounted(term: Value) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    """A product's discount and its other factors; a small number counts where it is called gamma."""
    factors = list(product(term))
    if len(factors) < 2:
        return
    called = any(_DISCOUNT.search(word) for word in words(term.node)) if term.node is not None else False
    for factor in factors:
        known = number(factor)
        if is_discount(factor) or (called and known is not None and 0.0 < known < 1.0):
            yield factor, tuple(other for other in factors if other is not factor)
            return


def table_behind(value: Value | None) -> Value | None:
    """The table behind `Q[s]`, `Q[s][a]`, `self.q[s, a]`."""
    settled = root(value)
    while isinstance(settled, Call) and settled.op == "[]":
        settled = root(settled.args[0])
    return settled


def is_average(immediate: Value, discount: Value) -> bool:
    """`0.1 * new + 0.9 * old`, `(1 - beta) * new + beta * old`: smoothing, not discounting."""
    for factor in product(immediate):
        weight, kept = number(factor), number(discount)
        if weight is not None and kept is not None and abs(weight + kept - 1) < 1e-6:
            return True
        if isinstance(factor, Call) and factor.op == "-" and factor.args and number(factor.args[0]) == 1:
            return is_discount(factor.args[1])
    return False


def is_discount(value: Value) -> bool:
    """A literal above one half and below one, or something called gamma."""
    known = number(value)
    if known is not None:
        return 0.5 < known < 1.0  # a half is what a term of a loss is weighted with
    if isinstance(value, Call) and value.op == "**" and value.args:  # gamma ** n
        return is_discount(value.args[0])
    settled = root(value)
    if isinstance(settled, Unknown):
        return bool(_DISCOUNT.search(settled.name))
    return isinstance(settled, Call) and settled.op.startswith("@") and bool(_DISCOUNT.search(settled.op))


def network_calls(value: Value | None) -> Iterator[Call]:
    """The applications of networks from which a value was computed."""
    return (here for here in computation(value) if isinstance(here, Call) and is_network_call(here))


def computation(value: Value | None) -> Iterator[Value]:
    """A value and what it was computed from, back to the networks applied and no further."""
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue and len(seen) < 100:
        here = queue.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        yield here
        if isinstance(here, Either | Carried):
            queue.extend(possible(here))
        elif isinstance(here, Call) and not is_network_call(here):
            made_from = here.args[:1] if here.op == "[]" else here.args  # an index is no part of a value
            before = (here.result,) if here.result is not None else (here.receiver, *made_from)
            queue.extend(part for part in before if part is not None)


def follows_time(value: Value) -> bool:
    """`values[t + 1]`, `values[1:]`: the next value of a trajectory, not a network on a next state."""
    for here in computation(value):
        if isinstance(here, Call) and here.op == "[]" and len(here.args) == 2:
            key = here.args[1]
            if isinstance(key, Call) and key.op in ("+", "next"):
                return True
            if isinstance(key, Unknown | Carried) or (isinstance(key, Collection) and key.kind == "slice"):
                return True
    return False


def is_network_call(call: Call) -> bool:
    """A module applied; of objects that are made elsewhere, one that is called like a network."""
    if call.op.startswith(".") and call.args and isinstance(root(call.receiver), Unknown | Instance):
        return bool(_NETWORK.search(call.op))
    if call.op != "()" or not call.args:
        return False
    receiver = root(call.receiver)
    while isinstance(receiver, Call) and receiver.op in ("copy.deepcopy", "copy.copy") and receiver.args:
        receiver = root(receiver.args[0])  # a target network
    if torch_api.is_module(receiver):
        return not (isinstance(receiver, Call) and receiver.op.endswith("Loss"))
    if isinstance(receiver, Unknown):
        return bool(_NETWORK.search(receiver.name))
    return isinstance(receiver, Call) and receiver.op.startswith("@") and bool(_NETWORK.search(receiver.op))
