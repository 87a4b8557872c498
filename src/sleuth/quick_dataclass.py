"""Dataclasses that are cheap to define, for what every lint loads.

The standard library's decorator writes and compiles six methods for each class, and loads `inspect` to do so:
for the classes of lint that takes a fifth of the time in which a small file is linted. Here `__init__` alone
is written, when the first object is made; the other methods are shared, and the fields are listed when
`dataclasses` itself asks for them. So `dataclasses.replace`, `fields` and `asdict` work on the result, and to
a type checker it is a dataclass.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "names_of", "replace"]


def names_of(item: Any) -> tuple[str, ...]:
    """The names of a record's fields, in order; of the class or of one of its objects."""
    names: tuple[str, ...] = item.__match_args__
    return names


_ANEW = object()  # stands where a field has no default, or one that is made anew


class _Factory:
    """A default that is made anew for each object."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """As `dataclasses.dataclass` with `frozen`, `eq`, `repr` and `slots`; it knows no `ClassVar`."""
        return _made(cls, **options) if cls is not None else lambda later: _made(later, **options)

    def field(*, default_factory: Callable[[], Any]) -> _Factory:
        return _Factory(default_factory)

    def replace(item: Any, /, **changes: Any) -> Any:
        """A copy with some fields changed."""
        return item.__class__(**{name: getattr(item, name) for name in names_of(item)} | changes)


def _made(
    cls: Any,
    frozen: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - as the standard library has it
    slots: bool = False,
) -> Any:
    own = tuple(cls.__annotations__)
    inherited = getattr(cls, "__match_args__", ())
    names = (*inherited, *(name for name in own if name not in inherited))
    defaults = getattr(cls, "__field_defaults__", {}) | {n: vars(cls)[n] for n in own if n in vars(cls)}
    methods = {
        "__match_args__": names,
        "__field_defaults__": defaults,
        "__dataclass_fields__": _Fields(),
        "__init__": _written_when_called(cls, names, defaults, frozen),
        **_shared(names, frozen, eq, repr, slots),
    }
    content = {name: value for name, value in vars(cls).items() if name not in own}
    if slots:  # they cannot be added to a class that exists: it is made again
        del content["__dict__"], content["__weakref__"]
        content |= {"__slots__": own, "__qualname__": cls.__qualname__}
        return type(cls)(cls.__name__, cls.__bases__, methods | content)
    for name in methods.keys() - content.keys():
        setattr(cls, name, methods[name])
    for name in own:
        if isinstance(defaults.get(name), _Factory):
            delattr(cls, name)
    return cls


def _shared(names: tuple[str, ...], frozen: bool, eq: bool, shown: bool, slots: bool) -> dict[str, Any]:
    """The methods that need not be written for each class."""
    methods: dict[str, Any] = {}
    if shown:
        methods["__repr__"] = _repr
    if eq:
        methods |= _comparison(names, frozen)
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
    if frozen and slots:  # what pickle does by itself would go through the door that is shut
        methods |= {"__getstate__": _state, "__setstate__": _set_state}
    return methods


def _comparison(names: tuple[str, ...], frozen: bool) -> dict[str, Any]:
    content = attrgetter(*names) if names else (lambda item: ())

    def same(self: object, other: object) -> bool:
        return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": same, "__hash__": (lambda self: hash(content(self))) if frozen else None}


def _repr(self: object) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names_of(self))
    return f"{self.__class__.__qualname__}({shown})"


def _refuse(self: object, name: str, value: object = None) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: object) -> list[Any]:
    return [getattr(self, name) for name in names_of(self)]


def _set_state(self: object, state: list[Any]) -> None:
    for name, value in zip(names_of(self), state, strict=True):
        object.__setattr__(self, name, value)


def _written_when_called(
    cls: type, names: tuple[str, ...], defaults: Mapping[str, Any], frozen: bool
) -> Callable[..., None]:
    """Stands in for `__init__` until the first object is made; of most classes one run makes none."""

    def first(self: object, /, *given: Any, **named: Any) -> None:
        made = _init(cls, names, defaults, frozen)
        for owner in type(self).__mro__:  # with slots, it is another class than the decorated one
            if vars(owner).get("__init__") is first:
                owner.__init__ = made  # type: ignore[misc]  # once: the next object is made by it alone
        made(self, *given, **named)

    return first


def _init(cls: type, names: tuple[str, ...], defaults: Mapping[str, Any], frozen: bool) -> Any:
    """Written out and compiled, as objects are made far more often than classes."""
    head, body = ["self"], []
    space: dict[str, Any] = {"_set": object.__setattr__, "_anew": _ANEW}
    for name in names:
        value = name
        if isinstance(default := defaults.get(name, _ANEW), _Factory):
            space[f"_make_{name}"] = default.make
            head.append(f"{name}=_anew")
            value = f"_make_{name}() if {name} is _anew else {name}"
        elif default is _ANEW:
            head.append(name)
        else:
            space[f"_default_{name}"] = default
            head.append(f"{name}=_default_{name}")
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(head)}):\n " + "\n ".join(body or ["pass"]), space)
    made = space["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


class _Fields:
    """`__dataclass_fields__`: worked out by the standard library when it asks."""

    def __get__(self, item: object, cls: Any) -> Any:
        import dataclasses

        parts = [(name, Any, _standard(cls.__field_defaults__.get(name, _ANEW))) for name in names_of(cls)]
        twin: Any = dataclasses.make_dataclass(cls.__name__, parts)
        cls.__dataclass_fields__ = twin.__dataclass_fields__
        return cls.__dataclass_fields__


def _standard(default: object) -> Any:
    """A field with that default, as the standard library has it."""
    import dataclasses

    if isinstance(default, _Factory):
        return dataclasses.field(default_factory=default.make)
    return dataclasses.field() if default is _ANEW else dataclasses.field(default=default)
