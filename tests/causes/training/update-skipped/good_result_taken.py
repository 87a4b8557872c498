from torch import nn, no_grad, randn
from torch.optim.optimizer import Optimizer


class Momentum(Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for weight in group["params"]:
                velocity = self.state[weight].setdefault("velocity", weight.clone().zero_())
                velocity.mul_(0.9).add_(weight.grad)
                weight.copy_(weight.sub(group["lr"] * velocity))


net = nn.Linear(3, 1)
optimizer = Momentum(net.parameters(), lr=0.05)
for _ in range(50):
    x = randn(8, 3)
    loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
