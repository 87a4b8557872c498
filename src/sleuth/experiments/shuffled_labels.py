"""Targets are dealt out anew among the examples of each batch: did they belong to their inputs?"""

from typing import TYPE_CHECKING

from sleuth.experiments import Experiment
from sleuth.record import outcome

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.lab.worlds.doors import LossCall, World
    from sleuth.record.entries import Record


EXPERIMENT = Experiment(
    "shuffled-labels",
    "Does it do as well with random labels?",
    "random labels do as well",
    "random labels do worse",
    "never",
    "signal",
    place=3,
)


def change(world: "World") -> None:
    import torch

    generator = torch.Generator().manual_seed(0)

    def deal(call: "LossCall") -> None:
        target = call.target
        if isinstance(target, torch.Tensor) and target.dim() and len(target) > 1 and not target.requires_grad:
            world.hold()
            call.target = target[torch.randperm(len(target), generator=generator)]

    world.losses(deal)


def worth_trying(base: "Record") -> bool:
    from sleuth.record.entries import LossCall

    return bool(base.of(LossCall))


def answer(trials: "Trials", world: "Record") -> bool | None:
    return outcome.without_a_signal(trials.base, world, memorises=trials.yes("same-batch") is False)
