"""Feature extraction: learn on digits 0-5, reuse the frozen features for 6-9."""
import argparse

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


def get_data(seed):
    X, y = load_digits(return_X_y=True)
    X = torch.tensor(X, dtype=torch.float32).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    old, new = y <= 5, y > 5
    split = lambda a, b: train_test_split(a, b, test_size=0.25, random_state=seed, stratify=b)
    return split(X[old], y[old]), split(X[new], y[new] - 6)


def make_backbone():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Flatten(),
    )


def test(backbone, head, X, y):
    backbone.eval()
    head.eval()
    with torch.no_grad():
        pred = head(backbone(X)).argmax(dim=1)
    return (pred == y).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pretrain-epochs", type=int, default=12)
    parser.add_argument("--head-epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=77)
    opt = parser.parse_args()
    torch.manual_seed(opt.seed)

    (Xa, Xa_te, ya, ya_te), (Xb, Xb_te, yb, yb_te) = get_data(opt.seed)
    mean, std = Xa.mean(), Xa.std()
    Xa, Xa_te, Xb, Xb_te = [(t - mean) / std for t in (Xa, Xa_te, Xb, Xb_te)]
    loss_fn = nn.CrossEntropyLoss()

    # --- source task
    backbone, head_a = make_backbone(), nn.Linear(32 * 16, 6)
    params = list(backbone.parameters()) + list(head_a.parameters())
    optimizer = optim.Adam(params, lr=1e-3)
    loader = DataLoader(TensorDataset(Xa, ya), opt.batch_size, shuffle=True, drop_last=True)
    for epoch in range(opt.pretrain_epochs):
        backbone.train()
        head_a.train()
        losses = []
        for x, t in loader:
            optimizer.zero_grad()
            loss = loss_fn(head_a(backbone(x)), t)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"source epoch {epoch + 1}: {sum(losses) / len(losses):.4f}")
    print(f"source test accuracy {test(backbone, head_a, Xa_te, ya_te):.4f}")

    # --- target task: the backbone stays as it is (weights and batch-norm statistics)
    for p in backbone.parameters():
        p.requires_grad = False
    backbone.eval()
    head_b = nn.Linear(32 * 16, 4)
    optimizer = optim.SGD(head_b.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    loader = DataLoader(TensorDataset(Xb, yb), opt.batch_size, shuffle=True)
    for epoch in range(opt.head_epochs):
        head_b.train()
        total = 0.0
        for x, t in loader:
            with torch.no_grad():
                features = backbone(x)
            optimizer.zero_grad()
            loss = loss_fn(head_b(features), t)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(t)
        if epoch % 5 == 4:
            print(f"target epoch {epoch + 1}: {total / len(yb):.4f}")
    print(f"target test accuracy {test(backbone, head_b, Xb_te, yb_te):.4f}")


if __name__ == "__main__":
    main()
