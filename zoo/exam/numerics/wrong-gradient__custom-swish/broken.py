import torch
from torch import nn

torch.manual_seed(55)


class _Mish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.tanh(nn.functional.softplus(x))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        t = torch.tanh(nn.functional.softplus(x))
        return grad * (t - x * torch.sigmoid(x) * (1 + t * t))


class Mish(nn.Module):
    def forward(self, x):
        return _Mish.apply(x)


def mlp(sizes):
    mods = []
    for i, o in zip(sizes[:-2], sizes[1:-1]):
        mods += [nn.Linear(i, o), Mish()]
    return nn.Sequential(*mods, nn.Linear(sizes[-2], sizes[-1]))


def surface(n):
    x = torch.rand(n, 2) * 4 - 2
    return x, (torch.sin(2 * x[:, :1]) * torch.cos(1.5 * x[:, 1:]) + 0.3 * x[:, :1])


x, y = surface(2000)
xt, yt = surface(500)
net = mlp([2, 40, 40, 40, 1])
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(25):
    for i in torch.randperm(2000).split(100):
        loss = nn.functional.mse_loss(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} loss {loss.item():.4f}")
with torch.no_grad():
    print(f"test mse {nn.functional.mse_loss(net(xt), yt).item():.4f}")
