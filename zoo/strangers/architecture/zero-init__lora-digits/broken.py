# %% [markdown]
# # LoRA from scratch
# Train a small MLP on the ordinary sklearn digits, freeze it, and then teach it *mirrored and inverted*
# digits through low-rank adapters only.

# %%
import os, random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)

# %% data
digits = load_digits()
images = digits.images.astype(np.float32) / 16.0
labels = digits.target

X_tr, X_te, y_tr, y_te = train_test_split(images, labels, test_size=0.25, stratify=labels, random_state=SEED)
X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=0.15, stratify=y_tr, random_state=SEED)


def plain(x):
    return x


def strange(x):
    return 1.0 - x[:, :, ::-1]


def tensors(x, y, view, stats):
    x = (view(x).reshape(len(x), -1) - stats[0]) / stats[1]
    return torch.tensor(np.ascontiguousarray(x), dtype=torch.float32), torch.tensor(y)


def stats_of(view):
    v = view(X_tr)
    return v.mean(), v.std()


# %% model
class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank=6, alpha=12):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.scaling = alpha / rank
        self.down = nn.Parameter(torch.zeros(rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + self.scaling * F.linear(F.linear(x, self.down), self.up)


class MLP(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.l1 = nn.Linear(64, width)
        self.l2 = nn.Linear(width, width)
        self.l3 = nn.Linear(width, 10)

    def forward(self, x):
        x = F.relu(self.l1(x))
        x = F.relu(self.l2(x))
        return self.l3(x)


# %% training helpers
@torch.no_grad()
def accuracy(model, data):
    model.eval()
    x, y = data
    return (model(x).argmax(1) == y).float().mean().item()


def fit(model, train, val, epochs, lr, tag):
    loader = DataLoader(TensorDataset(*train), batch_size=32, shuffle=True)
    weights = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.Adam(weights, lr=lr)
    print(f"[{tag}] training {sum(p.numel() for p in weights)} numbers")
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = F.cross_entropy(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        if (epoch + 1) % 10 == 0:
            print(f"[{tag}] epoch {epoch + 1:3d}  loss {total / len(loader.dataset):.4f}  val acc {accuracy(model, val):.3f}")


# %% stage 1: the base model
s = stats_of(plain)
base_train, base_val, base_test = [tensors(x, y, plain, s) for x, y in ((X_tr, y_tr), (X_va, y_va), (X_te, y_te))]
model = MLP()
fit(model, base_train, base_val, epochs=30, lr=1e-3, tag="base")
print(f"base model on ordinary test digits: {accuracy(model, base_test):.3f}")

# %% stage 2: adapters
s = stats_of(strange)
new_train, new_val, new_test = [tensors(x, y, strange, s) for x, y in ((X_tr, y_tr), (X_va, y_va), (X_te, y_te))]
print(f"base model on strange test digits before: {accuracy(model, new_test):.3f}")

for name in ("l1", "l2", "l3"):
    setattr(model, name, LoRALinear(getattr(model, name)))
fit(model, new_train, new_val, epochs=60, lr=2e-3, tag="lora")

# %%
print(f"adapted model on strange test digits: {accuracy(model, new_test):.3f}")
