import torch


class SignSGD(torch.optim.Optimizer):
    """Moves every weight by the sign of its gradient."""

    def __init__(self, params, lr=1e-3):
        super().__init__(params, defaults={"lr": lr})

    def step(self):
        for group in self.param_groups:
            lr = group["lr"]
            for p in group["params"]:
                if p.grad is not None:
                    p.data.sub(lr * p.grad.sign())  # update-skipped


model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
opt = SignSGD(model.parameters())
for _ in range(20):
    x, y = torch.randn(32, 2), torch.randint(0, 2, (32,))
    loss = torch.nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
