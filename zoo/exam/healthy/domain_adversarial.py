import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(3)


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


def domain(n, shift):
    y = torch.randint(0, 2, (n,))
    x = torch.randn(n, 8)
    x[:, 0] = x[:, 0] * 0.6 + (2 * y - 1) * 1.5
    x[:, 1] = x[:, 1] + shift
    return x, y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.label, self.dom = nn.Linear(16, 2), nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x, lam=0.0):
        z = self.feat(x)
        return self.label(z), self.dom(Reverse.apply(z, lam)).squeeze(1)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for it in range(400):
    lam = min(1.0, it / 200) * 0.3
    xs, ys = domain(64, -1.0)
    xt, _ = domain(64, 1.5)
    cls, d_s = net(xs, lam)
    _, d_t = net(xt, lam)
    dom = F.binary_cross_entropy_with_logits(torch.cat([d_s, d_t]), torch.cat([torch.zeros(64), torch.ones(64)]))
    loss = F.cross_entropy(cls, ys) + dom
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 80 == 79:
        print(f"iter {it + 1} class {F.cross_entropy(cls, ys).item():.3f} domain {dom.item():.3f}")
x, y = domain(500, 1.5)
with torch.no_grad():
    print(f"target accuracy {(net(x)[0].argmax(1) == y).float().mean():.3f}")
