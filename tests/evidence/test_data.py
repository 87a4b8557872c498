"""Data blocks: YAML's flow style against JSON, which is a part of it, and the places of mistakes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.evidence.data import BadData, block_end, read_data

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
)
texts = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12)
keys = st.text(st.characters(categories=["Ll", "Lu"]), min_size=1, max_size=6)
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(keys, values, max_size=4))
def test_json_objects_are_read_as_json_reads_them(entries: dict[str, Any]) -> None:
    text = json.dumps(entries, ensure_ascii=False)
    assert read_data(text) == entries
    assert block_end(text + " rest }", 0) == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{reason: "a, b: {c}", credence: 0.90}', {"reason": "a, b: {c}", "credence": 0.9}),
        ("{reason: it's so, credence: .5}", {"reason": "it's so", "credence": 0.5}),
        ("{a: 'it''s', b: [x, 2]}", {"a": "it's", "b": ["x", 2]}),
        ("{\n  a: 1\n  b: two words\n}", {"a": 1, "b": "two words"}),
        ('{a: "over\n  two lines"}', {"a": "over two lines"}),
        ("{}", {}),
        ("{a: yes, b: http://x.org/y}", {"a": "yes", "b": "http://x.org/y"}),
    ],
)
def test_what_maps_write(text: str, expected: dict[str, Any]) -> None:
    assert read_data(text) == expected


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("{a 1}", 1),
        ("{a: 1, a: 2}", 7),
        ('{a: "x" y}', 8),
        ("{a: [1, 2}", 9),
        ("{a: {b: 1}", 0),
        ("{a: x} y", 6),
    ],
)
def test_mistakes_have_a_place(text: str, at: int) -> None:
    with pytest.raises(BadData) as caught:
        read_data(text)
    assert caught.value.at == at


def test_a_block_that_never_closes() -> None:
    assert block_end('{reason: "no end, credence: 1}', 0) is None
    assert block_end("{a: {b: 1}", 0) is None
