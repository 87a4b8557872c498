"""How far targets stand ahead of the tokens, and what is said of it."""

import pytest
import torch
from torch import Tensor, nn

import sleuth


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.look_up, self.head = nn.Embedding(20, 8), nn.Linear(8, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        made: Tensor = self.head(self.look_up(tokens))
        return made


def judge(logits: Tensor, target: Tensor) -> Tensor:
    return nn.functional.cross_entropy(logits.reshape(-1, 20), target.reshape(-1))


def ahead(tokens: Tensor, target: Tensor) -> set[str]:
    report = sleuth.probe(Reader(), (tokens, target), judge, memorise=False)
    return {f.cause for f in report.findings if f.severity != "note" and "positions ahead" in f.message}


@pytest.mark.parametrize(("move", "told"), [(0, set()), (1, set()), (2, {"labels-misaligned"})])
@pytest.mark.parametrize("time_first", [False, True])
def test_a_target_two_places_on_is_told(move: int, told: set[str], time_first: bool) -> None:
    torch.manual_seed(0)
    whole = torch.randint(0, 20, (12, 40))
    tokens, target = whole[:, :30], whole[:, move : move + 30]
    if time_first:
        tokens, target = tokens.T.contiguous(), target.T.contiguous()
    assert ahead(tokens, target) == told


def test_other_targets_and_patterns_that_fit_several_moves_say_nothing() -> None:
    torch.manual_seed(0)
    tokens = torch.randint(0, 20, (12, 30))
    assert ahead(tokens, torch.randint(0, 20, (12, 30))) == set()
    beat = torch.arange(30).remainder(2).expand(12, 30)
    assert ahead(beat, beat.contiguous()) == set()


@pytest.mark.parametrize(("first", "last", "told"), [(1, -1, set()), (0, -2, {"labels-misaligned"})])
def test_places_that_the_loss_leaves_out_are_counted(first: int, last: int, told: set[str]) -> None:
    torch.manual_seed(0)
    tokens = torch.randint(0, 20, (12, 30))

    def step(model: nn.Module, batch: Tensor) -> Tensor:
        scores = model(batch)[:, first:last]
        return nn.functional.cross_entropy(scores.flatten(0, 1), batch[:, 2:].flatten())

    report = sleuth.probe(Reader(), tokens, step=step, memorise=False)
    assert {
        f.cause for f in report.findings if f.severity != "note" and "positions ahead" in f.message
    } == told


@pytest.mark.parametrize(
    ("move", "both_ways", "told"), [(0, False, {"labels-misaligned"}), (1, False, set()), (0, True, set())]
)
def test_a_forward_reader_is_not_asked_for_what_it_has_read(
    move: int, both_ways: bool, told: set[str]
) -> None:
    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.look_up, self.rnn = (
                nn.Embedding(20, 8),
                nn.GRU(8, 8, batch_first=True, bidirectional=both_ways),
            )
            self.head = nn.Linear(16 if both_ways else 8, 20)

        def forward(self, tokens: Tensor) -> Tensor:
            made: Tensor = self.head(self.rnn(self.look_up(tokens))[0])
            return made

    torch.manual_seed(0)
    whole = torch.randint(0, 20, (12, 31))
    batch = whole[:, :30], whole[:, move : move + 30]
    report = sleuth.probe(Recurrent(), batch, judge, memorise=False)
    assert {f.cause for f in report.findings if f.severity != "note"} == told


def test_a_model_that_reads_each_place_alone_may_well_copy_it() -> None:
    """An autoencoder of single tokens: nothing says that it shall tell the next one."""
    tokens = torch.randint(0, 20, (12, 30), generator=torch.Generator().manual_seed(0))
    report = sleuth.probe(Reader(), (tokens, tokens.clone()), judge, memorise=False)
    assert not [f for f in report.findings if f.severity != "note"]
