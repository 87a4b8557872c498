"""Twice the digits: what was rounding error is gone."""

from typing import TYPE_CHECKING

from sleuth.experiments import Experiment

if TYPE_CHECKING:
    from torch import Tensor, nn

    from sleuth.lab.worlds.doors import LossCall, World


EXPERIMENT = Experiment(
    "float64",
    "Is it clearly better in double precision?",
    "double precision is clearly better",
    "double precision is no better",
    "never",
    "digits",
    place=7,
    helps=True,
)


def change(world: "World") -> None:
    import torch
    from torch import Tensor, nn

    torch.set_default_dtype(torch.float64)
    world.replace(Tensor, "float", lambda _: Tensor.double)
    world.replace(nn.Module, "float", lambda _: nn.Module.double)

    def widen(given: "Tensor") -> "Tensor":
        if given.is_floating_point() and given.dtype != torch.float64:
            world.hold()
            return given.double()
        return given

    def widen_loss(call: "LossCall") -> None:
        call.input = widen(call.input)
        if isinstance(call.target, Tensor):
            call.target = widen(call.target)

    def widen_model(model: "nn.Module") -> None:
        world.hold()
        for tensor in (*model.parameters(), *model.buffers()):
            if tensor.is_floating_point():
                tensor.data = tensor.data.double()

    world.first_call(widen_model)
    world.inputs(widen)
    world.losses(widen_loss)
