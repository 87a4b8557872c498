import torch
import torch.nn as nn

torch.manual_seed(45)
TEMPERATURE = 0.05


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 8))

    def forward(self, x):
        return self.f(x)


def info_nce(a, b):
    sim = a @ b.T / TEMPERATURE
    e = torch.exp(sim)
    return -torch.log(e.diagonal() / e.sum(1)).mean()


mix = torch.randn(3, 24)


def views(n):
    c = torch.randn(n, 3)
    return c @ mix + 0.3 * torch.randn(n, 24), c @ mix + 0.3 * torch.randn(n, 24)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(400):
    a, b = views(48)
    loss = info_nce(net(a), net(b))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 80 == 0:
        print(f"{step}: {loss.item():.4f}")
with torch.no_grad():
    a, b = views(100)
    top = (torch.nan_to_num(net(a) @ net(b).T).argmax(1) == torch.arange(100)).float().mean().item()
print(f"top-1 {top:.3f}")
