"""Means, spreads and extremes over all rows, and the numbers made from them."""

from sleuth.source.flow import literal, parents, root
from sleuth.source.interpreter.values import Call, Carried, Collection, Constant, Either, Value

# What a statistic over all rows is called, as a method or as a function.
STATISTICS = frozenset(
    "mean std var median min max amin amax nanmean nanstd nanmin nanmax nanmedian quantile percentile "
    "std_mean var_mean aminmax ptp mode".split()
)
_STATISTIC_MODULES = ("numpy.", "torch.", "jax.numpy.", "builtins.", "statistics.")
ARITHMETIC = frozenset("+ - * / ** // += -= *= /=".split())


def statistic_of(call: Value | None) -> Value | None:
    """What a mean, spread or extreme over all rows was computed from; None where rows are kept (axis=1)."""
    if not isinstance(call, Call):
        return None
    name = call.op.rpartition(".")[2]
    if name not in STATISTICS:
        return None
    if call.op.startswith("."):
        data, place = call.receiver, 0
    elif call.op.startswith(_STATISTIC_MODULES) and call.args:
        data, place = call.args[0], 1
    else:
        return None
    if name in ("quantile", "percentile"):
        place += 1
    for key in ("axis", "dim"):
        if key in call.keywords:
            return data if _is_row_axis(call.keywords[key]) else None
    axis = call.args[place] if len(call.args) > place else None
    return data if axis is None or _is_row_axis(axis) else None


def _is_row_axis(axis: Value) -> bool:
    settled = root(axis)
    if isinstance(settled, Collection):
        return any(literal(item) == 0 for item in settled.items)
    return isinstance(settled, Constant) and settled.value in (0, None) and settled.value is not False


def statistics_in(value: Value | None) -> list[Call]:
    """The statistics that a number (`x.std(0) + 1e-8`, `x.max() - x.min()`) is made of."""
    found: list[Call] = []
    queue: list[Value] = [value] if value is not None else []
    for _ in range(40):
        if not queue:
            break
        here = queue.pop(0)
        if isinstance(here, Call):
            if here.result is not None:
                queue.append(here.result)
            elif statistic_of(here) is not None:
                found.append(here)
            elif here.op in ARITHMETIC or here.op in (
                "numpy.sqrt",
                "torch.sqrt",
                "numpy.maximum",
                "numpy.where",
            ):
                queue.extend(here.args)
            elif here.op in ("[]", "@values") or here.op.startswith("."):
                queue.extend(part for part in (here.receiver, *here.args[:1]) if part is not None)
        elif isinstance(here, Either | Carried):
            queue.extend(parents(here))
    return found


def is_number(value: Value | None) -> bool:
    """A literal or a statistic, or something computed from nothing else."""
    settled = root(value)
    if isinstance(settled, Call):
        if statistic_of(settled) is not None:
            return True
        if settled.op in ARITHMETIC or settled.op.rpartition(".")[2] in (
            "sqrt",
            "clamp",
            "clip",
            "view",
            "reshape",
        ):
            return all(is_number(part) for part in (settled.receiver, *settled.args) if part is not None)
        if settled.op in ("[]", "@values"):
            return is_number(settled.receiver or settled.args[0])
    return isinstance(settled, Constant)
