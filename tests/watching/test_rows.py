"""Hashed rows against the slow twin: sets of bytes."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.watching.rows import Rows, fingerprint, hashes


def slow_share(train: torch.Tensor, other: torch.Tensor) -> float:
    known = {row.numpy().tobytes() for row in train}
    return sum(row.numpy().tobytes() in known for row in other) / len(other)


@settings(deadline=None)
@given(
    seed=st.integers(0, 10_000),
    width=st.integers(1, 300),
    shared=st.integers(0, 20),
    kind=st.sampled_from([torch.float32, torch.float64, torch.int64, torch.uint8, torch.bfloat16]),
)
def test_shared_rows_are_counted_exactly(seed: int, width: int, shared: int, kind: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(seed)
    train = (torch.randn(50, width, generator=generator) * 1000).to(kind)
    other = torch.cat([train[:shared], (torch.randn(10, width, generator=generator) * 1000).to(kind)])
    if kind == torch.bfloat16:
        train, other = train.float(), other.float()
    rows = Rows()
    for start in range(0, len(train), 7):
        rows.add(hashes(train[start : start + 7]))
    share = rows.share_seen(hashes(other))
    assert share is not None
    assert abs(share - slow_share(train, other)) < 1e-6


def test_a_hash_depends_on_the_row_alone() -> None:
    rows = torch.randn(9, 3, 40, 40)
    assert hashes(rows)[4] == hashes(rows[4:5])[0]
    assert len(set(hashes(rows).tolist())) == 9


def test_a_change_anywhere_in_a_wide_row_changes_the_hash() -> None:
    row = torch.zeros(1, 5000)
    changed = row.repeat(5000, 1)
    changed.fill_diagonal_(1.0)
    assert not (hashes(changed) == hashes(row)[0]).any()


def test_fingerprints_depend_on_order() -> None:
    rows = hashes(torch.randn(5, 4))
    assert fingerprint(rows) != fingerprint(rows.flip(0))
    assert fingerprint(rows) == fingerprint(rows.clone())


def test_rows_repeated_within_an_epoch() -> None:
    rows = Rows()
    batch = hashes(torch.arange(8.0).reshape(4, 2))
    assert rows.repeated(batch) == 0
    assert rows.repeated(batch[:3]) == 3
