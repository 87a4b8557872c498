"""What a guest tells at its end: its weights and its random streams, as one short digest."""

import hashlib
import random
from collections.abc import Iterable

import numpy
import torch


def seed() -> None:
    torch.set_num_threads(1)
    random.seed(0)
    numpy.random.seed(0)
    torch.manual_seed(0)


def told(*weights: torch.Tensor) -> None:
    """Print it, so that a run alone and one that is watched can be compared by their output."""
    print("digest", hashlib.sha256(b"".join(parts(weights))).hexdigest()[:16], flush=True)


def parts(weights: Iterable[torch.Tensor]) -> Iterable[bytes]:
    for weight in weights:
        yield weight.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    yield torch.get_rng_state().numpy().tobytes()
    yield repr(random.getstate()).encode()
    yield repr(numpy.random.get_state()).encode()


def net_and_optimizer() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    net = torch.nn.Sequential(
        torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(12, 3)
    )
    return net, torch.optim.Adam(net.parameters(), lr=0.01)


def steps(net: torch.nn.Module, optimizer: torch.optim.Optimizer, count: int = 12) -> float:
    loss = torch.zeros(())
    for _ in range(count):
        x = torch.randn(8, 6)
        loss = torch.nn.functional.cross_entropy(net(x), torch.randint(3, (8,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()
