import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(71)
ITEMS, FEAT = 6, 5


def baskets(n):
    x = torch.randn(n, ITEMS, FEAT)
    top = x[..., 0].argmax(1)
    y = (x[torch.arange(n), top, 1] > 0).long()
    return x, y


class AttentionPool(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.lift = nn.Sequential(nn.Linear(FEAT, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.norm = nn.LayerNorm(dim)
        self.mha = nn.MultiheadAttention(dim, heads)
        self.ff = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, x):
        h = self.lift(x)
        k = self.norm(h)
        h = h + self.mha(k, k, k, need_weights=False)[0]
        return self.ff(h[:, 0])


X, y = baskets(4000)
Xv, yv = baskets(300)
net = AttentionPool()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for epoch in range(12):
    net.train()
    seen, tot = 0, 0.0
    for xb, yb in DataLoader(TensorDataset(X, y), batch_size=80, shuffle=True):
        loss = nn.functional.cross_entropy(net(xb), yb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        tot += loss.item() * len(xb)
        seen += len(xb)
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1:2d} loss {tot / seen:.4f}")
net.eval()
with torch.no_grad():
    right = sum(int(net(Xv[i:i + 1]).argmax(1).item() == yv[i].item()) for i in range(len(Xv)))
print(f"single-request accuracy {right / len(Xv):.3f}")
