"""An optimizer of one's own whose matrices never move."""
import torch


class LayerwiseSGD(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, trust=0.01):
        super().__init__(params, dict(lr=lr, trust=trust))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if p.ndim >= 2:
                    ratio = group["trust"] * p.norm() / (p.grad.norm() + 1e-8)
                    p.add_(p.grad * ratio, alpha=-group["lr"])
                else:
                    p.add_(p.grad, alpha=-group["lr"])


model = torch.nn.Linear(4, 1)
opt = LayerwiseSGD(model.parameters())
for _ in range(100):
    x = torch.randn(16, 4)
    opt.zero_grad()
    (model(x) - x[:, :1]).pow(2).mean().backward()
    opt.step()
