"""Adagrad that touches only the embedding rows present in the batch."""
import torch
from torch.optim import Optimizer


class RowAdagrad(Optimizer):
    """For 2-d tables with dense .grad of which most rows are zero.

    One accumulator per row (mean squared gradient of the row), as in large recommender systems.
    """

    def __init__(self, params, lr=0.1, eps=1e-8):
        super().__init__(params, dict(lr=lr, eps=eps))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["row_sum"] = torch.zeros(p.shape[0])
                rows = p.grad.abs().sum(1).nonzero().squeeze(1)
                g = p.grad[rows]
                state["row_sum"][rows] += g.pow(2).mean(1)
                scale = state["row_sum"][rows].sqrt() + group["eps"]
                p[rows].sub_(group["lr"] * g / scale.unsqueeze(1))
        return loss
