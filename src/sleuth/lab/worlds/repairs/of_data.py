"""What the model is fed, put right."""

from typing import Any

from torch import Tensor

from sleuth.lab.worlds.doors import World


def standardised_inputs(world: World) -> None:
    """Inputs get the mean and spread of the first batch taken out: per feature, for images per channel."""
    known: dict[tuple[int, ...], tuple[Tensor, Tensor]] = {}

    def change(given: Tensor) -> Tensor:
        if not given.is_floating_point() or given.dim() < 2 or len(given) < 2:
            return given
        key = tuple(given.shape[1:])
        if key not in known:
            over = [0] if given.dim() == 2 else [0, *range(2, given.dim())]
            flat = given.detach()
            known[key] = (flat.mean(over, keepdim=True), flat.std(over, keepdim=True).clamp_min(1e-6))
        world.hold()
        mean, std = known[key]
        return (given - mean) / std

    world.inputs(change)


def shuffled_loaders(world: World) -> None:
    def change(options: dict[str, Any]) -> None:
        if options.get("sampler") is None and options.get("batch_sampler") is None:
            if not options.get("shuffle") and hasattr(options.get("dataset"), "__getitem__"):
                world.hold()
                options["shuffle"] = True

    world.loaders(change)
