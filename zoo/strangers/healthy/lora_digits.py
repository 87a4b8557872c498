"""Pretrain a digit classifier on upright images, then adapt it to transposed images with low-rank adapters only.

Phase 1 trains the whole network. Phase 2 freezes all of it and trains rank-6 adapters (whose up-projection starts at
zero, so the adapted net is at first exactly the pretrained one) plus nothing else.
"""
import argparse
import copy

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * F.linear(F.linear(x, self.down), self.up)


class Net(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.fc1, self.fc2, self.head = nn.Linear(64, width), nn.Linear(width, width), nn.Linear(width, 10)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        x = self.drop(F.relu(self.fc1(x)))
        x = self.drop(F.relu(self.fc2(x)))
        return self.head(x)


def fit(model, params, loader, val, epochs, lr, tag):
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=lr, total_steps=epochs * len(loader))
    for epoch in range(epochs):
        model.train()
        total = seen = 0
        for xb, yb in loader:
            opt.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
            sched.step()  # one-cycle policy: per batch
            total, seen = total + loss.item() * len(xb), seen + len(xb)
        if epoch % 5 == 4:
            acc, vloss = evaluate(model, *val)
            print(f"[{tag}] epoch {epoch + 1:3d} loss {total / seen:.4f} val loss {vloss:.4f} val acc {acc:.3f}")


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    logits = model(x)
    return (logits.argmax(1) == y).float().mean().item(), F.cross_entropy(logits, y).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rank", type=int, default=6)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    images, labels = load_digits(return_X_y=True)
    xtr, xte, ytr, yte = train_test_split(images, labels, test_size=0.25, stratify=labels, random_state=args.seed)
    xtr, xte = (torch.tensor(a, dtype=torch.float32) / 8.0 - 1.0 for a in (xtr, xte))
    ytr, yte = torch.tensor(ytr), torch.tensor(yte)

    def transpose(x):
        return x.view(-1, 8, 8).transpose(1, 2).reshape(-1, 64)

    gen = torch.Generator().manual_seed(args.seed)
    upright = DataLoader(TensorDataset(xtr, ytr), batch_size=96, shuffle=True, generator=gen)
    turned = DataLoader(TensorDataset(transpose(xtr), ytr), batch_size=96, shuffle=True, generator=gen)

    base = Net()
    fit(base, base.parameters(), upright, (xte, yte), epochs=25, lr=4e-3, tag="pretrain")
    base_up, _ = evaluate(base, xte, yte)
    base_turn, _ = evaluate(base, transpose(xte), yte)
    print(f"pretrained: upright {base_up:.3f}, transposed {base_turn:.3f}")

    adapted = copy.deepcopy(base).requires_grad_(False)
    for name in ("fc1", "fc2", "head"):
        setattr(adapted, name, LoRALinear(getattr(adapted, name), args.rank, alpha=2.0 * args.rank))
    trainable = [p for p in adapted.parameters() if p.requires_grad]
    n_all = sum(p.numel() for p in adapted.parameters())
    print(f"adapting {sum(p.numel() for p in trainable)} of {n_all} parameters")
    frozen_before = adapted.fc1.base.weight.clone()
    fit(adapted, trainable, turned, (transpose(xte), yte), epochs=40, lr=8e-3, tag="adapt")

    assert torch.equal(frozen_before, adapted.fc1.base.weight)
    acc, loss = evaluate(adapted, transpose(xte), yte)
    still, _ = evaluate(base, xte, yte)
    print(f"final: adapted net on transposed digits {acc:.3f} (loss {loss:.3f}); base net upright, untouched {still:.3f}")


if __name__ == "__main__":
    main()
