import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(40)


def flats(n):
    district = torch.randint(0, 4, (n,))
    centre = torch.tensor([[0.0, 1.5], [1.5, 0.0], [0.0, -1.5], [-1.5, 0.0]])
    where = centre[district] + 0.55 * torch.randn(n, 2)
    size = 70 + 20 * torch.randn(n, 1)
    price = 2500 * size.squeeze(1) + 30000 * district.float() + 15000 * torch.randn(n)
    return torch.cat([where, (size - 70) / 20], 1), district, price


class TwoHeads(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, d), nn.ReLU(), nn.Linear(d, d), nn.ReLU())
        self.cls = nn.Linear(d, 4)
        self.reg = nn.Linear(d, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.cls(h), self.reg(h).squeeze(1)


x, c, p = flats(1600)
xt, ct, pt = flats(400)
p_mean, p_std = p.mean(), p.std()
loader = DataLoader(TensorDataset(x, c, p), batch_size=40, shuffle=True)
model = TwoHeads()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    model.train()
    s = torch.zeros(2)
    for xb, cb, pb in loader:
        logits, price = model(xb)
        loss_c = F.cross_entropy(logits, cb)
        loss_p = F.mse_loss(price, pb - p_mean)
        loss = loss_c + loss_p
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += torch.stack([loss_c, loss_p]).detach()
    print(f"epoch {epoch}: district {s[0] / len(loader):.4f} price {s[1] / len(loader):.4g}")

model.eval()
with torch.no_grad():
    logits, _ = model(xt)
print(f"district accuracy {(logits.argmax(1) == ct).float().mean():.3f}")
