"""Models are fed noise with the mean and spread of what they would have got: did the inputs matter?"""

from typing import TYPE_CHECKING

from sleuth.experiments import Experiment
from sleuth.record import outcome

if TYPE_CHECKING:
    from torch import Tensor

    from sleuth.diagnosis.trials import Trials
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record


EXPERIMENT = Experiment(
    "noise-inputs",
    "Does it do as well with noise as inputs?",
    "noise does as well",
    "noise does worse",
    "never",
    "signal",
    place=2,
)


def change(world: "World") -> None:
    import torch

    generator = torch.Generator().manual_seed(0)

    def noise(given: "Tensor") -> "Tensor":
        if given.dtype == torch.bool or given.numel() == 0 or given.requires_grad:
            return given
        world.hold()
        if given.is_floating_point():
            over = 0 if given.dim() > 1 and len(given) > 1 else None
            mean = given.mean() if over is None else given.mean(0, keepdim=True)
            std = given.std() if over is None else given.std(0, keepdim=True)
            fresh = torch.randn(given.shape, generator=generator, dtype=torch.float32)
            return fresh.to(given) * torch.nan_to_num(std) + mean
        if given.is_complex():
            return given
        low, high = int(given.min()), int(given.max())
        return torch.randint(low, high + 1, given.shape, generator=generator).to(given)

    world.inputs(noise)


def worth_trying(base: "Record") -> bool:
    from sleuth.record.entries import Model

    return bool(base.of(Model))


def answer(trials: "Trials", world: "Record") -> bool | None:
    return outcome.without_a_signal(trials.base, world, memorises=trials.yes("same-batch") is False)
