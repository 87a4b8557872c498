"""From plain data to objects: a value fits under an annotation, or is a misfit."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from sleuth.quick_dataclass import dataclass
from sleuth.shapes.damage import Damage, Misfit
from sleuth.shapes.files import DEEPEST

Shape = TypeVar("Shape")
Fit = Callable[[object], Any]

# A whole number that no float can hold comes from damage: the largest seeds have 128 bits.
HUGE = 2**1000
WORDS = ("nan", "inf", "-inf")  # of floats that JSON lacks


@dataclass(frozen=True)
class Fields:
    """The fields of an object that fit, as they stood there, and what was wrong with the others."""

    known: Mapping[str, Any]
    damage: tuple[Damage, ...] = ()


@dataclass(frozen=True)
class Within:
    """A check for `Annotated`: a number between two bounds, which nan is not."""

    least: float
    most: float

    def __call__(self, number: float) -> float:
        if self.least <= number <= self.most:
            return number
        raise ValueError(f"lies outside {self.least:g} to {self.most:g}")


Moment = Annotated[float, Within(0, 2.5e11)]  # seconds since 1970; clocks and calendars end with year 9999
Count = Annotated[int, Within(0, 2**62)]  # what SQLite and packed differences hold


def shaped(kind: type[Shape], value: object, path: str = "") -> Shape | Damage:
    """All of it in its shape, or what is wrong with it."""
    hint: Any = kind
    try:
        made: Shape = _fit(hint)(value)
    except Misfit as misfit:
        return misfit.damage(path)
    return made


def fields_of(kind: Any, value: object, path: str = "", required: Iterable[str] = ()) -> Fields:
    """What fits of an object, field by field, unknown ones included: a bad one costs only itself."""
    if not isinstance(value, dict):
        return Fields({}, (Misfit(f"is {_called(value)}, not an object").damage(path),))
    fits = _fits(kind)
    known: dict[str, Any] = {}
    damage: list[Damage] = []
    for name, part in value.items():
        try:
            fits.get(name, _anything)(part)
            known[name] = part
        except Misfit as misfit:
            damage.append(misfit.within(name).damage(path))
    damage += [Misfit("is missing", name).damage(path) for name in required if name not in value]
    return Fields(known, tuple(damage))


@cache
def _fits(kind: Any) -> Mapping[str, Fit]:
    return {name: _fit(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}


@cache
def _fit(hint: Any) -> Fit:
    """What a value must pass to stand under an annotation."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Annotated:
        return _checked(_fit(inner[0]), inner[1])
    if origin in (Union, UnionType):
        return _one_of(inner)
    if origin is Literal:
        return _word(inner)
    if origin is tuple:
        return _row(_fit(inner[0])) if inner[-1] is ... else _places([_fit(part) for part in inner])
    if origin is not None and issubclass(origin, Mapping):
        return _table(_fit(inner[1]))
    return _object(hint)


def _object(kind: Any) -> Fit:
    fits: Mapping[str, Fit] = {}  # found when the first is read: most of them never are

    def fit(value: object) -> Any:
        nonlocal fits
        if not isinstance(value, dict):
            raise Misfit(f"is {_called(value)}, not an object")
        fits = fits or _fits(kind)
        known = {}
        for name, part in value.items():
            if (one := fits.get(name)) is not None:
                try:
                    known[name] = one(part)
                except Misfit as misfit:
                    raise misfit.within(name) from None
        try:
            return kind(**known)
        except (TypeError, ValueError) as error:
            raise Misfit(_broken(error)) from None

    return fit


def _row(part_fit: Fit) -> Fit:
    def fit(value: object) -> Any:
        if not isinstance(value, list):
            raise Misfit(f"is {_called(value)}, not a list")
        return tuple(_within(f"[{place}]", part_fit, part) for place, part in enumerate(value))

    return fit


def _places(fits: list[Fit]) -> Fit:
    def fit(value: object) -> Any:
        if not isinstance(value, list) or len(value) != len(fits):
            raise Misfit(f"is {_called(value)}, not a list of {len(fits)}")
        pairs = enumerate(zip(fits, value, strict=True))
        return tuple(_within(f"[{place}]", one, part) for place, (one, part) in pairs)

    return fit


def _table(part_fit: Fit) -> Fit:
    def fit(value: object) -> Any:
        if not isinstance(value, dict):
            raise Misfit(f"is {_called(value)}, not an object")
        return {name: _within(name, part_fit, part) for name, part in value.items()}

    return fit


def _one_of(kinds: tuple[Any, ...]) -> Fit:
    others = [kind for kind in kinds if kind is not NoneType]
    if len(others) < len(kinds):
        inner = _fit(others[0]) if len(others) == 1 else _any_of(others)
        return lambda value: None if value is None else inner(value)
    return _any_of(others)


def _any_of(kinds: Sequence[Any]) -> Fit:
    """A value of just one of the kinds is that; else the first that takes it."""
    fits = {kind: _fit(kind) for kind in kinds}

    def fit(value: object) -> Any:
        if (own := fits.get(type(value))) is not None:
            return own(value)
        for one in fits.values():
            try:
                return one(value)
            except Misfit:
                continue
        raise Misfit(f"is {_called(value)}")

    return fit


def _word(words: tuple[Any, ...]) -> Fit:
    def fit(value: object) -> Any:
        if isinstance(value, str) and value in words:
            return value
        raise Misfit(f"is {_called(value)}, none of {', '.join(map(str, words))}")

    return fit


def _checked(before: Fit, check: Callable[[Any], Any]) -> Fit:
    def fit(value: object) -> Any:
        try:
            return check(before(value))
        except ValueError as error:
            raise Misfit(str(error)) from None

    return fit


def _within(step: str, fit: Fit, value: object) -> Any:
    try:
        return fit(value)
    except Misfit as misfit:
        raise misfit.within(step) from None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise Misfit(f"is {_called(value)}, not text")


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise Misfit(f"is {_called(value)}, not true or false")


def _whole(value: object) -> int:
    if type(value) is int and -HUGE < value < HUGE:
        return value
    raise Misfit(f"is {_called(value)}, not a whole number")


def _number(value: object) -> float:
    if type(value) is float:
        return value
    if (type(value) is int and -HUGE < value < HUGE) or (isinstance(value, str) and value in WORDS):
        return float(value)
    raise Misfit(f"is {_called(value)}, not a number")


def _nothing(value: object) -> None:
    if value is not None:
        raise Misfit(f"is {_called(value)}, not null")


def _anything(value: object, deeper: int = DEEPEST) -> Any:
    """Any JSON, within bounds that every reader of it can bear."""
    if isinstance(value, (list, dict)):
        if not deeper:
            raise Misfit("is nested too deeply")
        for part in value.values() if isinstance(value, dict) else value:
            _anything(part, deeper - 1)
    elif type(value) is int:
        _whole(value)
    return value


_PLAIN: Mapping[Any, Fit] = {
    Any: _anything,
    object: _anything,
    str: _text,
    bool: _truth,
    int: _whole,
    float: _number,
    NoneType: _nothing,
    None: _nothing,
}


def _called(value: object) -> str:
    """A value in a sentence."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if type(value) is int:
        return str(value) if -HUGE < value < HUGE else "a number of hundreds of digits"
    if isinstance(value, float):
        return repr(value)
    return f"a list of {len(value)}" if isinstance(value, list) else "an object"


def _broken(error: Exception) -> str:
    """Why no object could be made: a field without a default is not there, or its own rule says no."""
    if isinstance(error, TypeError):
        return "lacks " + ", ".join(re.findall(r"'(\w+)'", str(error)))
    return f"breaks a rule ({error})"
