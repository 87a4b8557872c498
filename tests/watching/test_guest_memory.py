"""What the recorder must not do to a script's memory: nothing is held once the script has dropped it."""

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from sleuth.watching.memory import live_tensors
from tests.watching.recording import recorded

LEVELS = ["default", "full", "deep"]


@pytest.fixture
def without_collector() -> Any:
    """References alone decide: a cycle through the recorder would show."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def one_step(model: Any, optimizer: Any, x: Any) -> list[Any]:
    optimizer.zero_grad()
    output = model(x)
    loss: Any = nn.functional.mse_loss(output, x)
    loss.backward()
    optimizer.step()
    return [weakref.ref(part) for part in (output, loss)]


@pytest.mark.parametrize("level", LEVELS)
def test_graphs_batches_and_models_go_when_the_script_drops_them(
    tmp_path: Path, level: str, without_collector: None
) -> None:
    with recorded(tmp_path / "record.jsonl", level) as recorder:
        for count in range(30):
            if count == 20:
                recorder.state.norms_s = recorder.state.layers_s = 1e9  # from here on nothing is affordable
            model = nn.Linear(4, 4)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            x = torch.randn(8, 4)
            left = [*one_step(model, optimizer, x), weakref.ref(model), weakref.ref(x)]
            del model, optimizer, x
            gc.collect()  # an optimizer is a cycle by itself
            assert [reference() for reference in left] == [None] * len(left), (level, count)


@pytest.mark.parametrize("level", LEVELS)
def test_a_state_carried_along_keeps_no_graph(tmp_path: Path, level: str, without_collector: None) -> None:
    with recorded(tmp_path / "record.jsonl", level):
        cell = nn.GRUCell(4, 4)
        hidden = torch.zeros(2, 4)
        left = []
        for _ in range(5):
            hidden = cell(torch.randn(2, 4), hidden)
            left.append(weakref.ref(hidden))
        assert left[0]() is not None  # the graph holds it
        del hidden
        assert [reference() for reference in left] == [None] * 5


@pytest.mark.parametrize("level", LEVELS)
def test_a_call_without_a_step_is_let_go(tmp_path: Path, level: str, without_collector: None) -> None:
    with recorded(tmp_path / "record.jsonl", level):
        model = nn.Linear(4, 4)
        x = torch.randn(8, 4)
        output = model(x)
        left = [weakref.ref(x), weakref.ref(output)]
        del x, output
        assert [reference() for reference in left] == [None, None]


def test_a_batch_of_a_loader_is_let_go(tmp_path: Path) -> None:
    from torch.utils.data import DataLoader, TensorDataset

    with recorded(tmp_path / "record.jsonl"):
        model = nn.Linear(4, 4)
        for x, y in DataLoader(TensorDataset(torch.randn(8, 4), torch.arange(8)), 4):
            with torch.no_grad():
                model(x)
            left = [weakref.ref(x), weakref.ref(y)]
            break
        del x, y
        assert [reference() for reference in left] == [None, None]


def test_the_number_of_tensors_stays(tmp_path: Path) -> None:
    with recorded(tmp_path / "record.jsonl", "full") as recorder:
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))
        optimizer = torch.optim.Adam(model.parameters())
        counts = []
        for _ in range(60):
            one_step(model, optimizer, torch.randn(8, 4))
            counts.append(live_tensors() - len(recorder.state.rows.recent))
    assert max(counts[20:]) <= max(counts[5:20]) + 2


def test_nothing_is_held_after_the_end(tmp_path: Path) -> None:
    with recorded(tmp_path / "record.jsonl") as recorder:
        model = nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        one_step(model, optimizer, torch.randn(8, 4))
        model(torch.randn(8, 4))
    state = recorder.state
    assert (state.pending, state.reached, state.last(), state.served) == ([], None, None, ())
    gone = weakref.ref(recorder)
    del recorder, state
    gc.collect()
    assert gone() is None
