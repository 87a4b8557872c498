import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(90)
K, D = 6, 32
PROTO = torch.randn(K, D)


def sample(n):
    y = torch.randint(0, K, (n,))
    return PROTO[y] + 0.5 * torch.randn(n, D), y


def view(x):
    keep = (torch.rand_like(x) > 0.3).float()
    return x * keep + 0.3 * torch.randn_like(x)


class SimSiam(nn.Module):
    def __init__(self, h=64, z=32):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(D, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, z))
        self.predictor = nn.Sequential(nn.Linear(z, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, z))

    def forward(self, a, b):
        za, zb = self.encoder(a), self.encoder(b)
        return self.predictor(za), self.predictor(zb), za, zb


def similarity_loss(p, z):
    return -F.cosine_similarity(p, z, dim=1).mean()


net = SimSiam()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
for step in range(1, 501):
    x, _ = sample(128)
    pa, pb, za, zb = net(view(x), view(x))
    loss = 0.5 * similarity_loss(pa, zb) + 0.5 * similarity_loss(pb, za)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f}")
net.eval()
with torch.no_grad():
    xb, yb = sample(600)
    xt, yt = sample(300)
    zb, zt = F.normalize(net.encoder(xb), dim=1), F.normalize(net.encoder(xt), dim=1)
    acc = (yb[(zt @ zb.T).argmax(1)] == yt).float().mean()
    print(f"kNN {acc:.3f} embedding spread {zt.std(0).mean() * zt.shape[1] ** 0.5:.4f}")
