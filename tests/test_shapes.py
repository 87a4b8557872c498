"""What is read from disk: valid things come back as they were, all else is damage, never an exception."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.archive.facts import End, Start, facts_of
from sleuth.diagnosis.ledger_lines import read as read_ledger
from sleuth.finding import Edit, Evidence, Finding, Where
from sleuth.lint.cache import Kept
from sleuth.record.entries import KINDS
from sleuth.shapes import (
    DEEPEST,
    Count,
    Damage,
    Moment,
    Within,
    content,
    fields_of,
    from_json,
    from_toml,
    read,
    shaped,
)
from sleuth.sweeping.store import Config, Result

junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=6)
    | st.sampled_from([10**400, -(10**30), "nan", "inf", "\udce9"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
SHAPES: tuple[type[Any], ...] = (Start, End, Kept, Config, Result, Finding, Evidence, *KINDS.values())


@dataclass(frozen=True)
class Inner:
    size: Count
    word: Literal["up", "down"] = "up"


@dataclass(frozen=True)
class Outer:
    """Every kind of annotation there is."""

    name: str
    share: Annotated[float, Within(0, 1)] = 0.5
    when: Moment | None = None
    flag: bool = False
    either: int | str | None = None
    inner: Inner | None = None
    rows: tuple[Inner, ...] = ()
    pair: tuple[str, int | None] | None = None
    table: Mapping[str, float] | None = None
    rest: Any = None


inners = st.builds(Inner, st.integers(0, 2**62), st.sampled_from(["up", "down"]))
outers = st.builds(
    Outer,
    st.text(),
    st.floats(0, 1),
    st.none() | st.floats(0, 2.5e11),
    st.booleans(),
    st.none() | st.integers(-(2**900), 2**900) | st.text(),
    st.none() | inners,
    st.lists(inners, max_size=3).map(tuple),
    st.none() | st.tuples(st.text(), st.none() | st.integers()),
    st.none() | st.dictionaries(st.text(), st.floats(allow_nan=False), max_size=3),
    st.none() | st.lists(st.integers()),
)


def told(item: Any) -> Any:
    """An object as JSON has it."""
    if isinstance(item, (Outer, Inner)):
        return {name: told(getattr(item, name)) for name in item.__dataclass_fields__}
    return [told(part) for part in item] if isinstance(item, tuple) else item


@settings(deadline=None)  # the machine may be busy
@given(outers, st.dictionaries(st.text(), junk, max_size=2))
def test_what_was_written_comes_back_whatever_a_newer_version_adds(item: Outer, more: dict[str, Any]) -> None:
    text = json.dumps({**{f"newer {key}": value for key, value in more.items()}, **told(item)})
    assert shaped(Outer, from_json(text)) == item


@settings(deadline=None)  # the machine may be busy
@given(st.sampled_from(SHAPES), junk, st.data())
def test_junk_is_damage_or_an_object(kind: type[Any], value: Any, data: st.DataObject) -> None:
    names = st.sampled_from([*kind.__dataclass_fields__])
    fields = data.draw(st.dictionaries(names, junk, max_size=5))
    for one in (value, fields):
        assert isinstance(shaped(kind, one, "x"), kind | Damage)
        found = fields_of(kind, one, "x")
        assert set(found.known) <= set(one if isinstance(one, dict) else ())
        assert all("\n" not in str(damage) for damage in found.damage)


@settings(deadline=None)  # the machine may be busy
@given(st.binary(max_size=200) | junk.map(lambda value: json.dumps(value).encode()))
def test_bytes_are_plain_data_or_damage(data: bytes) -> None:
    value = from_json(data, "x")
    assert isinstance(value, Damage) or json.dumps(value, ensure_ascii=False).encode()
    assert isinstance(from_toml(data, "x"), dict | Damage)


@settings(deadline=None)  # the machine may be busy
@given(st.binary(max_size=200) | junk.map(lambda value: json.dumps(value).encode()))
def test_files_of_any_bytes_are_read(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        for name in ("meta.json", "end.json"):
            (Path(folder) / name).write_bytes(data)
        assert facts_of(Path(folder)).over
        assert isinstance(read(Kept, Path(folder) / "end.json"), Kept | Damage)
        assert isinstance(read_ledger(Path(folder) / "end.json").damage, tuple)


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({}, "it lacks name"),
        ([], "it is a list of 0, not an object"),
        ({"name": 3}, "name is 3, not text"),
        ({"name": "x", "share": 1.5}, "share lies outside 0 to 1"),
        ({"name": "x", "share": float("nan")}, "share lies outside 0 to 1"),
        ({"name": "x", "when": 10**400}, "when is a number of hundreds of digits, not a number"),
        ({"name": "x", "flag": 1}, "flag is 1, not true or false"),
        ({"name": "x", "inner": {"size": True}}, "inner.size is true, not a whole number"),
        ({"name": "x", "rows": [{"size": 1}, {"size": -1}]}, "rows[1].size lies outside 0 to 4.61169e+18"),
        (
            {"name": "x", "rows": [{"size": 1, "word": "off"}]},
            "rows[0].word is the text 'off', none of up, down",
        ),
        ({"name": "x", "pair": ["a"]}, "pair is a list of 1, not a list of 2"),
        ({"name": "x", "table": {"a": None}}, "table.a is null, not a number"),
    ],
)
def test_damage_says_where_and_what(value: Any, wrong: str) -> None:
    assert str(shaped(Outer, value, "file.json")) == f"file.json does not fit: {wrong}"


def test_depth_and_size_are_bounded(tmp_path: Path) -> None:
    for deep in ("[" * 100_000, "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), '{"a":' * 990 + "1" + "}" * 990):
        assert "nested too deeply" in str(from_json(deep))
    assert from_json("[" * DEEPEST + "]" * DEEPEST) is not None
    assert "nested too deeply" in str(from_toml(b"a = " + b"[" * 100_000))
    (tmp_path / "large").write_bytes(b"1" * 3_000_000)
    assert str(content(tmp_path / "large", 1 << 21)) == "large is larger than 2 MB"
    assert "is no plain file" in str(content(Path(os.devnull)))


def test_a_number_of_thousands_of_digits_is_damage() -> None:
    assert "is no JSON" in str(from_json("1" * 5000))


def test_findings_survive_a_round_trip_through_json() -> None:
    edit = Edit("a.py", 1, 0, 1, 4, "text")
    where = Where("a.py", 3, module="net.0")
    finding = Finding("m", "error", 0.9, where, {"a": 1, "b": 0.5, "c": "x"}, sources=("s",), edits=(edit,))
    assert shaped(Finding, json.loads(json.dumps(finding.to_dict()))) == finding
    evidence = Evidence("m", "open", where, {"a": 1}, edits=(edit,), unless=("x",), marks={"k": 2})
    assert shaped(Evidence, json.loads(json.dumps(evidence.to_dict()))) == evidence
