"""Batches of any structure: taken apart and put together again without loss."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from sleuth.errors import SleuthError
from sleuth.measure import batches


class Pair(NamedTuple):
    x: Tensor
    y: Tensor


@dataclass(frozen=True)
class Record:
    x: Tensor
    name: str = "kept"


def structures(length: int) -> st.SearchStrategy[Any]:
    tensors = st.integers(1, 3).map(lambda width: torch.arange(length * width).reshape(length, width).float())
    leaves = st.one_of(tensors, st.just(torch.arange(length)), st.just("text"), st.none(), st.integers())
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3),
            st.tuples(inner, inner),
            st.dictionaries(st.sampled_from(["a", "b", "labels"]), inner, min_size=1, max_size=3),
            st.builds(Pair, tensors, tensors),
            st.builds(Record, tensors),
        ),
        max_leaves=6,
    )


def same(a: Any, b: Any) -> bool:
    first, second = list(batches.leaves(a)), list(batches.leaves(b))
    return [n for n, _ in first] == [n for n, _ in second] and all(
        torch.equal(x, y) for (_, x), (_, y) in zip(first, second, strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: st.tuples(st.just(n), structures(n))))
def test_mapping_nothing_changes_nothing(pair: tuple[int, Any]) -> None:
    _, batch = pair
    again = batches.mapped(batch, lambda _, tensor: tensor)
    assert type(again) is type(batch)
    assert same(batch, again)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5).flatmap(lambda n: st.tuples(st.just(n), structures(n))))
def test_taking_rows_and_doubling_act_on_every_tensor(pair: tuple[int, Any]) -> None:
    length, batch = pair
    if not list(batches.leaves(batch)):
        return
    assert batches.size(batch) == length
    assert same(batches.take(batch, torch.arange(length)), batch)
    assert batches.size(batches.take(batch, torch.tensor([0]))) == 1
    twice = batches.doubled(batch)
    assert batches.size(twice) == 2 * length
    assert same(batches.take(twice, torch.arange(length, 2 * length)), batch)


@pytest.mark.parametrize(
    ("batch", "inputs", "target"),
    [
        ((1, 2), 1, 2),
        ((1, 2, 3), (1, 2), 3),
        ([1], 1, None),
        ({"ids": 1, "labels": 2}, {"ids": 1}, 2),
        ({"x": 1}, {"x": 1}, None),
        (5, 5, None),
    ],
)
def test_inputs_and_targets_by_position_and_name(batch: Any, inputs: Any, target: Any) -> None:
    assert batches.parted(batch) == (inputs, target)


@pytest.mark.parametrize(
    "batch", [[], {}, "text", (1, 2), torch.zeros(0, 3), (torch.zeros(0), torch.zeros(0))]
)
def test_a_batch_with_nothing_in_it_gets_one_sentence(batch: Any) -> None:
    with pytest.raises(SleuthError, match=r"batch is (a|empty)"):
        batches.checked(batch)


def test_a_loader_without_batches_is_named() -> None:
    with pytest.raises(SleuthError, match="length is 0"):
        batches.first_batch([])
