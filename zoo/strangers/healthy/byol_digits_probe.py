"""Self-supervised digits: BYOL pretraining without labels, then a logistic probe on frozen features."""
import copy
from itertools import chain

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from torch import nn


class Augment:
    """Random shift, small rotation and scale, gain and noise."""

    def __init__(self, gen):
        self.gen = gen

    def _u(self, n, r):
        return (torch.rand(n, generator=self.gen) * 2 - 1) * r

    def __call__(self, x):
        n = len(x)
        ang, sc = self._u(n, 0.30), 1 + self._u(n, 0.15)
        theta = torch.stack([
            torch.stack([sc * ang.cos(), -sc * ang.sin(), self._u(n, 0.22)], 1),
            torch.stack([sc * ang.sin(), sc * ang.cos(), self._u(n, 0.22)], 1)], 1)
        x = F.grid_sample(x, F.affine_grid(theta, x.shape, align_corners=False), align_corners=False)
        x = x * (1 + self._u(n, 0.3)).view(-1, 1, 1, 1)
        return x + 0.12 * torch.randn(x.shape, generator=self.gen)


def encoder():
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU(),
        nn.Conv2d(24, 48, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(48), nn.ReLU(),
        nn.Conv2d(48, 64, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
        nn.Flatten(), nn.Linear(256, 64))


def head(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, o))


class Byol(nn.Module):
    def __init__(self, tau=0.98):
        super().__init__()
        self.online = nn.Sequential(encoder(), head(64, 128, 32))
        self.predictor = head(32, 64, 32)
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad = False
        self.tau = tau

    def forward(self, a, b):
        loss = 0.0
        for u, v in ((a, b), (b, a)):
            pred = self.predictor(self.online(u))
            with torch.no_grad():
                goal = self.target(v)
            loss = loss + 2 - 2 * F.cosine_similarity(pred, goal.detach(), dim=-1).mean()
        return loss / 2

    @torch.no_grad()
    def follow(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.mul_(self.tau).add_(o, alpha=1 - self.tau)

    @torch.no_grad()
    def features(self, x):
        self.eval()
        f = self.online[0](x)
        self.train()
        return f.numpy()


def probe(model, x_tr, y_tr, x_te, y_te):
    clf = LogisticRegression(max_iter=600, C=1.0)
    f_tr, f_te = model.features(x_tr), model.features(x_te)
    mu, sd = f_tr.mean(0), f_tr.std(0) + 1e-6
    return clf.fit((f_tr - mu) / sd, y_tr).score((f_te - mu) / sd, y_te)


def main(epochs=26, batch=128):
    torch.manual_seed(6)
    digits = load_digits()
    x = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1)
    tr, te = train_test_split(range(len(x)), test_size=0.3, stratify=digits.target, random_state=6)
    mean, std = x[tr].mean(), x[tr].std()
    x = (x - mean) / std
    x_tr, x_te, y_tr, y_te = x[tr], x[te], digits.target[tr], digits.target[te]
    few = slice(0, 60)

    model = Byol()
    rand_acc = probe(model, x_tr[few], y_tr[few], x_te, y_te)
    params = chain(model.online.parameters(), model.predictor.parameters())
    opt = torch.optim.AdamW(params, lr=3e-3, weight_decay=1e-4)
    aug = Augment(torch.Generator().manual_seed(6))

    for epoch in range(epochs):
        perm = torch.randperm(len(x_tr))
        losses = []
        for idx in perm.split(batch):
            if len(idx) < batch:
                continue
            loss = model(aug(x_tr[idx]), aug(x_tr[idx]))
            opt.zero_grad()
            loss.backward()
            opt.step()
            model.follow()
            losses.append(loss.item())
        if epoch % 5 == 0:
            spread = F.normalize(torch.tensor(model.features(x_tr)), dim=-1).std(0).mean().item()
            print(f"epoch {epoch + 1:2d}  byol {sum(losses) / len(losses):.4f}  feature spread {spread:.3f}")

    print(f"probe with 60 labels: random encoder {rand_acc:.3f}  byol {probe(model, x_tr[few], y_tr[few], x_te, y_te):.3f}")
    print(f"probe with all labels: byol {probe(model, x_tr, y_tr, x_te, y_te):.3f}")


if __name__ == "__main__":
    main()
