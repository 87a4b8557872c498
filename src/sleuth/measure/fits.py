"""What was fitted on which rows while a script ran, and whether those rows were divided afterwards."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Transformers that learn nothing from the rows, or nothing a held-out row could lend them.
_HARMLESS = frozenset(
    "FunctionTransformer Normalizer Binarizer PolynomialFeatures HashingVectorizer FeatureHasher "
    "LabelEncoder LabelBinarizer MultiLabelBinarizer OneHotEncoder OrdinalEncoder SplineTransformer".split()
)


@dataclass(frozen=True, slots=True)
class Fit:
    """A transformer that was fitted on rows of which a part was then held out."""

    kind: str
    rows: int
    path: str | None
    line: int | None


@dataclass(frozen=True, eq=False)
class _Learned:
    estimator: Any
    given: Any
    place: tuple[str | None, int | None]
    results: list[Any] = field(default_factory=list)  # what it made of the rows it was fitted on


@dataclass(eq=False)
class Fits:
    """Watches scikit-learn's transformers and `train_test_split` while a script runs."""

    learned: list[_Learned] = field(default_factory=list)
    divided: dict[int, Fit] = field(default_factory=dict)

    @contextmanager
    def watched(self, script: Path) -> Iterator[None]:
        """Only where the script speaks of scikit-learn: it is slow to import."""
        with ExitStack() as stack:
            if "sklearn" in script.read_text(encoding="utf-8", errors="replace"):
                for owner, name, wrap in self._doors():
                    stack.enter_context(_patched(owner, name, wrap))
            yield

    def found(self) -> tuple[Fit, ...]:
        return tuple(self.divided.values())

    def _doors(self) -> list[tuple[Any, str, Callable[[Any], Any]]]:
        try:
            from sklearn import base, model_selection  # type: ignore[import-untyped]
            from sklearn.utils import _set_output  # type: ignore[import-untyped]
        except ImportError:
            return []
        doors = (
            (base.BaseEstimator, "_validate_params", self._fitting),
            (_set_output, "_wrap_data_with_container", self._transformed),
            (model_selection, "train_test_split", self._dividing),
        )
        return [door for door in doors if hasattr(door[0], door[1])]

    def _fitting(self, original: Any) -> Any:
        """Every `fit` of scikit-learn checks the estimator's parameters first; the rows stand beside."""

        def check(estimator: Any) -> Any:
            arguments = sys._getframe(1).f_locals.get("args", ())
            if arguments and hasattr(estimator, "transform") and type(estimator).__name__ not in _HARMLESS:
                self.learned.append(_Learned(estimator, arguments[0], _script_frame()))
            return original(estimator)

        return check

    def _transformed(self, original: Any) -> Any:
        def wrap(method: str, data: Any, given: Any, estimator: Any) -> Any:
            result = original(method, data, given, estimator)
            for entry in self.learned:
                if entry.estimator is estimator and entry.given is given:
                    entry.results.append(result)
            return result

        return wrap

    def _dividing(self, original: Any) -> Any:
        def divide(*arrays: Any, **options: Any) -> Any:
            for entry in self.learned:
                if any(_same(array, result) for array in arrays for result in entry.results):
                    self.divided[id(entry)] = Fit(
                        type(entry.estimator).__name__, len(arrays[0]), *entry.place
                    )
            return original(*arrays, **options)

        return divide


def _same(array: Any, result: Any) -> bool:
    """The very rows, also after a change of type or container."""
    import numpy as np

    if array is result:
        return True
    shape = getattr(array, "shape", None)
    if shape is None or shape != getattr(result, "shape", None) or len(shape) != 2 or hasattr(array, "tocsr"):
        return False
    try:
        return bool(np.allclose(np.asarray(array, float), np.asarray(result, float), equal_nan=True))
    except (TypeError, ValueError):  # words and mixed tables have no numeric twin
        return False


def _script_frame() -> tuple[str | None, int | None]:
    frame: Any = sys._getframe(2)
    while frame is not None and "site-packages" in frame.f_code.co_filename:
        frame = frame.f_back
    return (None, None) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


@contextmanager
def _patched(owner: Any, name: str, wrap: Callable[[Any], Any]) -> Iterator[None]:
    original = getattr(owner, name)
    setattr(owner, name, wrap(original))
    try:
        yield
    finally:
        setattr(owner, name, original)
