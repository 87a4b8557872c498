"""Each door by name: which functions of torch it is. Torch is imported when a door is opened."""

from collections.abc import Callable, Iterable
from typing import Any

from sleuth.doors.patches import Patches
from sleuth.torch_losses import LOSSES

Make = Callable[[Any], Any]


def losses(patches: Patches, make: Callable[[Any, str], Any], names: Iterable[str] = LOSSES) -> None:
    """Torch's loss functions, also where a module holds them under a name of its own."""
    from torch.nn import functional

    patches.replace_everywhere(functional, names, make)


def model_calls(patches: Patches, make: Make) -> None:
    """Every call of a module."""
    from torch import nn

    patches.replace(nn.Module, "__call__", make)


def backward(patches: Patches, make: Make) -> None:
    """`loss.backward()`."""
    from torch import Tensor

    patches.replace(Tensor, "backward", make)


def optimizer_steps(
    patches: Patches, before: Callable[..., None] | None, after: Callable[..., None] | None
) -> None:
    """Around the step of every optimizer, through torch's own hooks."""
    from torch.optim import optimizer

    if before is not None:
        patches.undo.append(optimizer.register_optimizer_step_pre_hook(before).remove)
    if after is not None:
        patches.undo.append(optimizer.register_optimizer_step_post_hook(after).remove)


def loaders_made(patches: Patches, make: Make) -> None:
    """Where a loader gets its options."""
    from torch.utils.data import DataLoader

    patches.replace(DataLoader, "__init__", make)


def batches_served(patches: Patches, make: Make) -> None:
    """Where a loader hands out its next batch."""
    from torch.utils.data.dataloader import _BaseDataLoaderIter

    patches.replace(_BaseDataLoaderIter, "__next__", make)
