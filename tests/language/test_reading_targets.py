"""What enters a loss, read back from its gradient, and what is counted in a batch: against slow twins."""

from typing import Any

import hypothesis.strategies as st
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given, settings

from sleuth.record.entries import KINDS, Record
from sleuth.record.json_lines import line_of, parse
from sleuth.record.token_entries import TokenBatch, TokenRow
from sleuth.record.token_rows import common, filled, parting, segments
from sleuth.watching import token_rows
from sleuth.watching.token_counts import Fed, counts, ranges

ROWS, PLACES, WORDS = 3, 7, 11
WEIGHTS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0]), min_size=21, max_size=21)


@settings(max_examples=40, deadline=None)
@given(WEIGHTS, st.integers(0, 10**6), st.sampled_from([torch.float32, torch.float64]))
def test_targets_and_weights_are_read_from_the_gradient(weights: list[float], seed: int, kind: Any) -> None:
    torch.manual_seed(seed)
    scores = torch.randn(ROWS, PLACES, WORDS, dtype=kind, requires_grad=True)
    target = torch.randint(WORDS, (ROWS, PLACES))
    weight = torch.tensor(weights, dtype=kind).reshape(ROWS, PLACES)
    each = F.cross_entropy(scores.flatten(0, 1), target.flatten(), reduction="none")
    (grad,) = torch.autograd.grad((each * weight.flatten()).sum() / 3, scores)
    found, pull = token_rows.pulled(grad, (ROWS, PLACES), scores)
    assert torch.equal(found, target.masked_fill(weight == 0, -1))
    assert torch.allclose(pull, weight.float() / 3, atol=1e-3)


def test_scores_that_are_flat_are_read_as_rows() -> None:
    scores = torch.randn(ROWS * PLACES, WORDS, requires_grad=True)
    target = torch.randint(WORDS, (ROWS * PLACES,))
    (grad,) = torch.autograd.grad(F.cross_entropy(scores, target), scores)
    found, _ = token_rows.pulled(grad, (ROWS, PLACES))
    assert torch.equal(found, target.reshape(ROWS, PLACES))


@pytest.mark.parametrize("scored", [PLACES - 3, PLACES, PLACES + 2])
def test_scores_of_fewer_or_more_places_stand_at_the_end(scored: int) -> None:
    placed = token_rows.placed_at(torch.arange(scored).expand(2, scored), PLACES, -1)
    assert placed.shape == (2, PLACES)
    assert placed[0, -1] == scored - 1
    assert (placed[0] == -1).sum() == max(0, PLACES - scored)


def test_log_probabilities_of_labels_tell_which_are_wanted() -> None:
    labels = torch.tensor([[-100, 5, 6], [-100, 7, -100]])
    targets, weights = token_rows.of_chances(labels, torch.tensor([[-1.0, -1.0], [2.0, 2.0]]))
    assert targets.tolist() == [[5, 6, -1], [7, -1, -1]]
    assert weights.tolist() == [[1.0, 1.0, 0.0], [-2.0, 0.0, 0.0]]


def test_a_loss_of_all_but_the_last_place_is_put_beside_the_first_ones() -> None:
    target = torch.arange(12)
    found = token_rows.placed(target, -100, (2, 7), (2, 7, 50), 50)
    assert found.tolist() == [[0, 1, 2, 3, 4, 5, -1], [6, 7, 8, 9, 10, 11, -1]]
    assert token_rows.placed(target, 4, (2, 7), (2, 7, 50), 50).tolist()[0] == [0, 1, 2, 3, -1, 5, -1]
    assert token_rows.placed(target, -100, (2, 7), (2, 7, 50), 9) is None
    assert token_rows.placed(torch.arange(13), -100, (2, 7), (2, 7, 50), 50) is None


PAD, END, BEGIN = 2, 1, 0


def batch(rows: list[list[int]], **more: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {"pad": PAD, "end": END, "specials": (BEGIN, END, PAD)}
    given_too = {
        key: torch.tensor(value) if isinstance(value, list) else value for key, value in more.items()
    }
    return counts(Fed(torch.tensor(rows), **(usual | given_too)))


def test_filling_is_told_from_text() -> None:
    told = batch([[5, 6, 1, 2, 2], [5, 6, 7, 8, 1]])
    assert (told["pad_right"], told["pad_left"], told["ended"], told["full"]) == (2, 0, 2, 1)
    told = batch([[2, 2, 5, 6, 1], [5, 6, 7, 8, 1]])
    assert (told["pad_right"], told["pad_left"]) == (0, 2)


def test_where_the_pad_token_is_the_end_token_the_first_of_a_run_is_real() -> None:
    told = batch([[5, 6, 1, 1, 1], [5, 6, 7, 8, 1]], pad=1)
    assert (told["pad_right"], told["ended"]) == (2, 2)
    told = batch([[5, 6, 1, 1, 1], [5, 6, 7, 8, 9]], pad=1, attended=[[1, 1, 0, 0, 0], [1, 1, 1, 1, 1]])
    assert told["pad_right"] == 3


def test_filling_without_a_tokenizer_is_seen_by_its_lengths() -> None:
    told = batch([[5, 6, 0, 0, 0], [5, 6, 7, 0, 0], [4, 3, 2, 1, 9]], pad=None, end=None, specials=())
    assert (told["pad"], told["pad_right"]) == (0, 5)
    told = batch([[5, 6, 7, 8, 4], [5, 6, 7, 3, 3]], pad=None, end=None, specials=())
    assert told["pad"] is None


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_the_distance_of_targets_is_found_beside_filling(offset: int) -> None:
    ids = [[5, 6, 7, 8, 9, 10, 11, 1, 2, 2], [12, 13, 14, 15, 16, 17, 18, 19, 20, 1]]
    targets = [[*row, -1, -1][offset : offset + 10] for row in ids]
    told = batch(ids, targets=targets)
    assert (told["offset"], told["agreement"]) == (offset, 1.0)


def test_targets_in_filling_are_counted_and_the_end_is_not() -> None:
    ids = [[5, 6, 7, 1, 2, 2], [5, 6, 8, 9, 10, 1]]
    assert batch(ids, targets=[[6, 7, 1, 2, 2, 2], [6, 8, 9, 10, 1, -1]])["pad_trained"] == 3
    assert batch(ids, targets=[[6, 7, 1, -1, -1, -1], [6, 8, 9, 10, 1, -1]])["pad_trained"] == 0


def test_special_tokens_side_by_side_are_counted() -> None:
    told = batch([[0, 0, 5, 6, 1], [0, 5, 6, 1, 1]])
    assert (told["starts_twice"], told["ends_twice"], told["doubled"]) == (1, 1, {"0": 1, "1": 1})


def test_ids_in_stretches() -> None:
    assert ranges({1: 1, 2: 5, 3: 1, 7: 2}, 9) == ((1, 3), (7, 7))
    assert ranges({1: 1, 3: 1, 5: 1}, 2) == ((1, 1), (3, 3))


IDS = st.lists(st.integers(0, 9), min_size=1, max_size=9)


@given(IDS, IDS)
def test_rows_part_behind_what_they_share(one: list[int], other: list[int]) -> None:
    a, b = tuple(one), tuple(other)
    shared, place = common([a, b]), parting(a, b)
    assert a[: len(shared)] == b[: len(shared)] == shared
    assert place == (len(shared) if len(shared) < min(len(a), len(b)) else None)


@st.composite
def rows(draw: Any) -> TokenRow:
    ids = draw(IDS)

    def beside(values: Any) -> Any:
        return tuple(draw(st.lists(values, min_size=len(ids), max_size=len(ids))))

    return TokenRow(
        length=len(ids),
        left=draw(st.integers(0, len(ids))),
        head=len(ids),
        ids=tuple(ids),
        attended=beside(st.integers(0, 1)),
        positions=beside(st.integers(0, 5)),
        targets=beside(st.none() | st.integers(0, 9)),
        weights=beside(st.sampled_from([0.0, 0.25, 1.0, -0.5])),
    )


@given(rows())
def test_a_row_reads_back_as_it_was_written(row: TokenRow) -> None:
    written = TokenBatch(3, examples=(row,), given={"labels": (1, 2)}, targets_from=(0.0, 1.0), pad=0)
    assert next(parse([line_of(written)])) == written
    assert sum(filled(row)) == row.left
    assert len(segments(row)) == len(row.ids)


@given(
    st.sampled_from(["tokens", "generation", "adapters", "vocabulary"]), st.dictionaries(st.text(), st.none())
)
def test_keys_of_a_newer_record_are_skipped(kind: str, more: dict[str, None]) -> None:
    import json

    line = json.dumps({**more, "kind": kind, "n": 1, "id": 1, "model": 1})
    assert all(type(item) is KINDS[kind] for item in Record(tuple(parse([line]))).items)
