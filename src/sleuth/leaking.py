# ruff: noqa: N803, N806 - X is what the whole field calls it
"""`sleuth.leak`: dye what must not be seen, run the pipeline, and look where the colour comes out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sleuth.errors import SleuthError
from sleuth.needs import need

SENTINEL = 1e12  # far outside of any data, and finite: some code skips NaN without a word
SAME = 1e-9  # relative difference below which two outputs agree

Stage = tuple[str, Callable[[Any, Any], Any]]


@dataclass(frozen=True, slots=True)
class Crossing:
    """A stage whose output for permitted rows changed with what it must not see."""

    stage: str
    what: str
    dye: str
    rows: int

    def __str__(self) -> str:
        return (
            f"{self.what} reach {self.rows} rows before the cutoff in stage `{self.stage}` ({self.dye} dye)"
        )


@dataclass(frozen=True, slots=True)
class LeakReport:
    """What crossed, and what was tried: an empty `crossings` with `tried` in it is a clean bill."""

    crossings: tuple[Crossing, ...]
    tried: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.crossings)

    def __str__(self) -> str:
        if self.crossings:
            return "\n".join(str(crossing) for crossing in self.crossings)
        return f"No leak: nothing reached the rows before the cutoff ({'; '.join(self.tried)})."

    __repr__ = __str__


def leak(pipeline: Any, X: Any, y: Any = None, cutoff: int | None = None) -> LeakReport:
    """Whether rows before `cutoff` learn anything from rows at or after it, or from their labels.

    `pipeline` is a function of (X) or (X, y), a list of (name, stage), or anything with `fit_transform`; its
    output has one row for each row of X. The data is copied, never changed.
    """
    need("numpy", "torch", "`sleuth.leak`")
    import numpy as np

    rows = len(X)
    cutoff = int(0.8 * rows) if cutoff is None else cutoff
    if not 0 < cutoff < rows:
        raise SleuthError(f"cutoff is {cutoff} and X has {rows} rows; it must lie between them.")
    stages = _stages(pipeline)
    clean = _outputs(stages, _copied(X), _copied(y))
    _check(clean, stages, rows)
    crossings: list[Crossing] = []
    tried: list[str] = []
    targets = [("the later rows", "X")] + ([("the later labels", "y")] if y is not None else [])
    for what, which in targets:
        for dye, value in (("NaN", np.nan), ("sentinel", SENTINEL)):
            dyed_x = _dyed(X, cutoff, value) if which == "X" else _copied(X)
            dyed_y = _dyed(y, cutoff, value) if which == "y" else _copied(y)
            if dyed_x is None or (which == "y" and dyed_y is None):
                continue
            try:
                outputs = _outputs(stages, dyed_x, dyed_y)
            except Exception as error:  # many estimators refuse NaN: then the sentinel has to do
                tried.append(f"{dye} in {what}: refused ({type(error).__name__})")
                continue
            tried.append(f"{dye} in {what}")
            found = _first_difference(stages, clean, outputs, cutoff, what, dye)
            if found is not None:
                crossings.append(found)
                break
    return LeakReport(tuple(crossings), tuple(tried))


def _stages(pipeline: Any) -> list[Stage]:
    if hasattr(pipeline, "steps"):
        return [
            (name, _as_function(stage))
            for name, stage in pipeline.steps
            if stage not in (None, "passthrough")
        ]
    if isinstance(pipeline, Sequence) and not isinstance(pipeline, str):
        pairs = [item if isinstance(item, tuple) else (_name(item), item) for item in pipeline]
        return [(str(name), _as_function(stage)) for name, stage in pairs]
    return [(_name(pipeline), _as_function(pipeline))]


def _name(stage: Any) -> str:
    return str(getattr(stage, "__name__", type(stage).__name__))


def _as_function(stage: Any) -> Callable[[Any, Any], Any]:
    if hasattr(stage, "fit_transform"):
        return lambda X, y: _fresh(stage).fit_transform(X) if y is None else _fresh(stage).fit_transform(X, y)
    if hasattr(stage, "fit") and hasattr(stage, "predict"):
        return lambda X, y: _fresh(stage).fit(X, y).predict(X)
    if not callable(stage):
        raise SleuthError(
            f"A stage is a {type(stage).__name__}; expected a function or something with fit_transform."
        )
    import inspect

    try:
        wanted = len(inspect.signature(stage).parameters)
    except (TypeError, ValueError):
        wanted = 1
    return (lambda X, y: stage(X, y)) if wanted > 1 else (lambda X, y: stage(X))


def _fresh(stage: Any) -> Any:
    """An unfitted copy: what was learned in one run must not colour the next."""
    import copy

    return copy.deepcopy(stage)


def _outputs(stages: Sequence[Stage], X: Any, y: Any) -> list[Any]:
    found = []
    for _, stage in stages:
        X = stage(X, y)
        found.append(_array(X))
    return found


def _array(values: Any) -> Any:
    import numpy as np

    array = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    return array.astype(float) if array.dtype != object else array


def _check(clean: Sequence[Any], stages: Sequence[Stage], rows: int) -> None:
    for output, (name, _) in zip(clean, stages, strict=True):
        if not output.shape or len(output) != rows:
            raise SleuthError(
                f"Stage `{name}` returns {output.shape[0] if output.shape else 'one value'} for {rows} "
                "rows; to see what leaks, its output must keep one row for each row of X."
            )


def _copied(data: Any) -> Any:
    return data.copy() if hasattr(data, "copy") else data


def _dyed(data: Any, cutoff: int, value: float) -> Any:
    """A copy with the later rows replaced; None where the data cannot hold numbers."""
    import numpy as np

    if hasattr(data, "iloc"):
        dyed = data.copy()
        numbers = dyed.select_dtypes("number").columns if hasattr(dyed, "columns") else None
        if numbers is None:
            dyed = dyed.astype(float)
            dyed.iloc[cutoff:] = value
            return dyed
        dyed = dyed.astype(dict.fromkeys(numbers, float))
        dyed.iloc[cutoff:, [dyed.columns.get_loc(name) for name in numbers]] = value
        return dyed
    array = np.array(data)
    if array.dtype.kind not in "fiub":
        return None
    dyed = array.astype(float)
    dyed[cutoff:] = value
    return dyed


def _first_difference(
    stages: Sequence[Stage], clean: Sequence[Any], dyed: Sequence[Any], cutoff: int, what: str, dye: str
) -> Crossing | None:
    import numpy as np

    for (name, _), before, after in zip(stages, clean, dyed, strict=True):
        if before.shape != after.shape:
            return Crossing(name, what, dye, cutoff)
        a, b = before[:cutoff].reshape(cutoff, -1), after[:cutoff].reshape(cutoff, -1)
        same = np.isclose(a, b, rtol=SAME, atol=SAME, equal_nan=True) if a.dtype != object else a == b
        touched = int((~same.all(axis=1)).sum())
        if touched:
            return Crossing(name, what, dye, touched)
    return None
