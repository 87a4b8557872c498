"""Low-rank adaptation of a small MLP to shifted digits: base frozen, B starts at zero."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(77)
X, y = load_digits(return_X_y=True)
X = torch.tensor(X / 8.0 - 1.0, dtype=torch.float32)
y = torch.tensor(y)
idx_tr, idx_te = train_test_split(range(len(y)), test_size=0.3, stratify=y, random_state=0)
X_tr, y_tr, X_te, y_te = X[idx_tr], y[idx_tr], X[idx_te], y[idx_te]

flip = lambda x: x.view(-1, 8, 8).transpose(1, 2).flip(2).reshape(-1, 64)    # the new scanner turns pages


class LoRALinear(nn.Module):
    def __init__(self, base, rank=8, alpha=16):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.A.T) @ self.B.T


def fit(net, x, y, params, lr, epochs, name):
    opt = torch.optim.Adam(params, lr=lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        net.train()
        tot = 0.0
        for i in torch.randperm(len(x)).split(32):
            opt.zero_grad()
            loss = F.cross_entropy(net(x[i]), y[i])
            loss.backward()
            opt.step()
            tot += loss.item() * len(i)
        sched.step()
        if epoch % 5 == 4:
            print(f"{name} {epoch + 1}: {tot / len(x):.4f}")


@torch.no_grad()
def acc(net, x, y):
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


net = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 10))
fit(net, X_tr, y_tr, net.parameters(), 2e-3, 15, "base")
print(f"base on upright {acc(net, X_te, y_te):.3f}, on turned {acc(net, flip(X_te), y_te):.3f}")

for i, layer in enumerate(net):
    if isinstance(layer, nn.Linear):
        net[i] = LoRALinear(layer)
adapters = [p for p in net.parameters() if p.requires_grad]
print("trainable", sum(p.numel() for p in adapters), "of", sum(p.numel() for p in net.parameters()))
fit(net, flip(X_tr), y_tr, adapters, 4e-3, 20, "lora")
print(f"adapted on turned {acc(net, flip(X_te), y_te):.3f}")
