"""RowScale: momentum SGD whose matrix updates are normalised per output row."""
import torch
from torch.optim import Optimizer


class RowScale(Optimizer):
    def __init__(self, params, lr=1e-2, beta=0.9, beta2=0.99, eps=1e-6):
        if lr <= 0:
            raise ValueError(f"invalid learning rate {lr}")
        super().__init__(params, dict(lr=lr, beta=beta, beta2=beta2, eps=eps))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            lr, beta, beta2, eps = group["lr"], group["beta"], group["beta2"], group["eps"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["t"] = 0
                    state["m"] = torch.zeros_like(p)
                    state["v"] = torch.zeros(p.shape[0])
                state["t"] += 1
                m, v = state["m"], state["v"]
                m.lerp_(p.grad, 1 - beta)
                m_hat = m / (1 - beta ** state["t"])
                if p.ndim > 1:
                    v.lerp_(p.grad.flatten(1).pow(2).mean(1), 1 - beta2)
                    scale = (v / (1 - beta2 ** state["t"])).sqrt().add_(eps)
                    update = m_hat / scale.view(-1, *[1] * (p.ndim - 1))
                    p = p - lr * update
                else:
                    v.lerp_(p.grad.pow(2), 1 - beta2)
                    scale = (v / (1 - beta2 ** state["t"])).sqrt().add_(eps)
                    p.addcdiv_(m_hat, scale, value=-lr)
        return loss
