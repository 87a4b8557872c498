"""`out=` says where the difference goes: the call hands back what it has written there already."""

import torch


class Differences(torch.optim.Optimizer):
    """Moves along the slope and along its change since the last step."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for weight in group["params"]:
                state = self.state[weight]
                if "before" not in state:
                    state["before"] = torch.zeros_like(weight)
                change = torch.empty_like(weight)
                torch.sub(weight.grad, state["before"], out=change)
                torch.add(change, weight.grad, alpha=0.9, out=change)
                state["before"].copy_(weight.grad)
                weight.add_(change, alpha=-group["lr"])


model = torch.nn.Linear(4, 1)
optimizer = Differences(model.parameters())
for _ in range(20):
    optimizer.zero_grad()
    model(torch.rand(8, 4)).square().mean().backward()
    optimizer.step()
