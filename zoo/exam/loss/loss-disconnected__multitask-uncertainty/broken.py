import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(24)
WEIGHTS = {"price": 1.0, "category": 0.5, "l2": 1e-5}


def listings(n):
    x = torch.randn(n, 16)
    price = x[:, :4].sum(1) * 0.5 + torch.tanh(x[:, 4] * x[:, 5])
    cat = (x[:, 8:14].view(n, 3, 2).sum(-1)).argmax(1)
    return x, price, cat


class MultiTask(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(16, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.heads = nn.ModuleDict({"price": nn.Linear(h, 1), "category": nn.Linear(h, 3)})

    def forward(self, x):
        z = self.trunk(x)
        return {k: head(z) for k, head in self.heads.items()}


class LossBook:
    def __init__(self, weights):
        self.weights, self.rows = weights, []

    def __call__(self, out, price, cat, params):
        terms = {
            "price": F.smooth_l1_loss(out["price"].squeeze(-1), price),
            "category": F.cross_entropy(out["category"], cat),
            "l2": sum(p.pow(2).sum() for p in params),
        }
        self.rows.append({k: v.item() for k, v in terms.items()})
        return self.weights["price"] * terms["price"] + sum(self.weights[k] * self.rows[-1][k] for k in ("category", "l2"))


x, price, cat = listings(3000)
net, book = MultiTask(), LossBook(WEIGHTS)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(8):
    for i in torch.randperm(3000).split(60):
        loss = book(net(x[i]), price[i], cat[i], list(net.parameters()))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch} " + " ".join(f"{k} {v:.3f}" for k, v in book.rows[-1].items()) + f" total {loss.item():.3f}")
xt, pt, ct = listings(600)
with torch.no_grad():
    out = net(xt)
print(f"price mae {(out['price'].squeeze(-1) - pt).abs().mean():.3f}")
print(f"category acc {(out['category'].argmax(1) == ct).float().mean():.3f}")
