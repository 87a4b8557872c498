"""Two builds of one model must give the same gradients; nothing is learnt here."""

import torch
from torch import optim


def same_gradients(plain, compiled, batch, turns=3):
    for _ in range(turns):
        plain(batch)[0].sum().backward()
        compiled(batch)[0].sum().backward()
        for one, other in zip(plain.parameters(), compiled.parameters(), strict=True):
            torch.testing.assert_close(one.grad, other.grad)
        optim.SGD(plain.parameters(), lr=0.01).step()
        optim.SGD(compiled.parameters(), lr=0.01).step()
        plain.zero_grad()
        compiled.zero_grad()
