import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(6)


class VQ(nn.Module):
    def __init__(self, k=32, d=4, beta=0.25):
        super().__init__()
        self.book, self.beta = nn.Embedding(k, d), beta
        nn.init.uniform_(self.book.weight, -1, 1)

    def forward(self, z):
        with torch.no_grad():
            idx = torch.cdist(z, self.book.weight).argmin(1)
        e = self.book(idx)
        extra = F.mse_loss(e, z.detach()) + self.beta * F.mse_loss(z, e.detach())
        return z + (e - z).detach(), extra, idx


class VQAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 4))
        self.vq = VQ()
        self.dec = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 12))

    def forward(self, x):
        q, extra, idx = self.vq(self.enc(x))
        return self.dec(q), extra, idx


centres = torch.randn(10, 12)
draw = lambda n: centres[torch.randint(0, 10, (n,))] + 0.15 * torch.randn(n, 12)
net = VQAE()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
for it in range(600):
    x = draw(100)
    out, extra, idx = net(x)
    loss = F.mse_loss(out, x) + extra
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 120 == 119:
        print(f"it {it + 1} loss {loss.item():.4f} codes in use {idx.unique().numel()}")
with torch.no_grad():
    x = draw(500)
    print(f"reconstruction {F.mse_loss(net(x)[0], x):.4f}")
