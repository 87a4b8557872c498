"""Cheap dataclasses against the standard library's: the same class, made by both, behaves the same."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from sleuth import quick_dataclass
from sleuth.finding import Finding, Where

OPTIONS = [
    {},
    {"frozen": True},
    {"eq": False},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"slots": True, "eq": False, "repr": False},
]


def _class(module: Any, options: dict[str, bool]) -> Any:
    class Sample:
        first: int
        second: str = "two"
        third: list[int] = module.field(default_factory=list)

        def doubled(self) -> int:
            return self.first * 2

    return module.dataclass(**options)(Sample)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_twins(options: dict[str, bool]) -> None:
    ours, theirs = (_class(module, options) for module in (quick_dataclass, dataclasses))
    for ask in QUESTIONS:
        assert ask(ours) == ask(theirs)


def _refusal(act: Callable[[], object]) -> str:
    try:
        act()
    except (AttributeError, TypeError) as error:
        return type(error).__name__
    return ""


QUESTIONS: list[Callable[[Any], object]] = [
    lambda cls: dataclasses.astuple(cls(1)),
    lambda cls: dataclasses.asdict(cls(1, third=[4])),
    lambda cls: dataclasses.replace(cls(1), first=5).doubled(),
    lambda cls: quick_dataclass.replace(cls(1), second="b").second,
    lambda cls: [(f.name, f.default) for f in dataclasses.fields(cls) if f.name != "third"],
    lambda cls: cls(1).third is cls(1).third,
    lambda cls: cls(1) == cls(1),
    lambda cls: cls(1) == cls(2),
    lambda cls: cls(1) == 1,
    lambda cls: cls.__hash__ is None,
    lambda cls: cls.__match_args__,
    lambda cls: hasattr(cls(1), "__dict__"),
    lambda cls: _refusal(lambda: setattr(cls(1), "first", 2)),
    lambda cls: _refusal(lambda: delattr(cls(1), "first")),
    lambda cls: _refusal(lambda: cls()),
    lambda cls: _refusal(lambda: cls(1, fourth=4)),
    lambda cls: repr(cls(1)).startswith("_class.<locals>.Sample(first=1, second='two', third=[])"),
    lambda cls: copy.copy(cls(1)).second,
]


def test_fields_are_inherited() -> None:
    @quick_dataclass.dataclass(slots=True)
    class Base:
        first: int = 1

    @quick_dataclass.dataclass(slots=True)
    class Derived(Base):
        second: int = 2

    assert (Derived(7).first, Derived(7).second) == (7, 2)
    assert quick_dataclass.names_of(Derived) == ("first", "second")


def test_findings_survive_the_way_to_another_process() -> None:
    finding = Finding("seen", where=Where("a.py", 3), numbers={"n": 1})
    assert pickle.loads(pickle.dumps(finding)) == finding
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.message = "other"  # type: ignore[misc]


def test_a_lint_loads_none_of_what_the_standard_library_needs(tmp_path: Any) -> None:
    script = tmp_path / "train.py"
    script.write_text("import torch\nfor x in range(3):\n    loss = torch.rand(1)\n    loss.backward()\n")
    code = (
        "import sys; from sleuth.cli import run; run(['lint', '--no-cache', '-q', sys.argv[1]]); "
        "print(*[name for name in ('dataclasses', 'inspect', 'tokenize') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
