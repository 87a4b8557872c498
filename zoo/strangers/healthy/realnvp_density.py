"""RealNVP density estimation on a curved three-dimensional point cloud, with early stopping on a validation set."""
import copy
import math

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def spiral_cloud(n, rng):
    t = rng.uniform(0.5, 3.0, n) * np.pi
    pts = np.stack([t * np.cos(t), rng.normal(0, 1.0, n) + 0.3 * t, t * np.sin(t)], axis=1)
    return pts + rng.normal(0, 0.35, pts.shape)


class Coupling(nn.Module):
    def __init__(self, mask, hidden):
        super().__init__()
        self.register_buffer("mask", mask)
        d = len(mask)
        self.net = nn.Sequential(
            nn.Linear(d, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 2 * d))
        # every coupling starts as the identity map
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def _params(self, x):
        s, t = self.net(x * self.mask).chunk(2, dim=1)
        free = 1 - self.mask
        return 1.5 * torch.tanh(s) * free, t * free

    def forward(self, x):
        s, t = self._params(x)
        return x * s.exp() + t, s.sum(dim=1)

    def inverse(self, z):
        s, t = self._params(z)
        return (z - t) * (-s).exp()


class Flow(nn.Module):
    def __init__(self, dim=3, layers=8, hidden=48):
        super().__init__()
        masks = [torch.tensor([float((i + k) % 3 != 0) for i in range(dim)]) for k in range(layers)]
        self.layers = nn.ModuleList(Coupling(m, hidden) for m in masks)

    def log_prob(self, x):
        logdet = torch.zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            logdet = logdet + ld
        base = -0.5 * (x.pow(2) + math.log(2 * math.pi)).sum(dim=1)
        return base + logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, 3)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, math.inf, 0, None

    def update(self, value, model):
        if value < self.best - 1e-3:
            self.best, self.bad, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


@torch.no_grad()
def nll(flow, x):
    flow.eval()
    return -flow.log_prob(x).mean().item()


def main():
    torch.manual_seed(12)
    rng = np.random.default_rng(12)
    raw_train, raw_test = spiral_cloud(6000, rng), spiral_cloud(2000, rng)
    fit_part, val_part = random_split(range(6000), [5000, 1000], generator=torch.Generator().manual_seed(12))
    mean, std = raw_train[fit_part.indices].mean(0), raw_train[fit_part.indices].std(0)
    data = torch.tensor((raw_train - mean) / std, dtype=torch.float32)
    test = torch.tensor((raw_test - mean) / std, dtype=torch.float32)
    train, val = data[fit_part.indices], data[val_part.indices]

    loader = DataLoader(TensorDataset(train), batch_size=250, shuffle=True)
    flow = Flow()
    optimizer = torch.optim.Adam(flow.parameters(), lr=2e-3)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=3)
    stopper = EarlyStopping(patience=8)

    cov = torch.cov(train.T)
    gauss = torch.distributions.MultivariateNormal(train.mean(0), cov)
    print(f"start: val nll {nll(flow, val):.4f}, one fitted gaussian {-gauss.log_prob(val).mean():.4f}")
    for epoch in range(1, 61):
        flow.train()
        total = 0.0
        for (x,) in loader:
            loss = -flow.log_prob(x).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(flow.parameters(), 10.0)
            optimizer.step()
            total += loss.item() * len(x)
        val_nll = nll(flow, val)
        plateau.step(val_nll)
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d}  train nll {total / len(train):.4f}  val nll {val_nll:.4f}"
                  f"  lr {optimizer.param_groups[0]['lr']:.1e}")
        if stopper.update(val_nll, flow):
            print(f"stopping at epoch {epoch}")
            break

    flow.load_state_dict(stopper.state)
    drawn = flow.sample(2000)
    print(f"best val nll {stopper.best:.4f}  test nll {nll(flow, test):.4f}  gaussian test nll {-gauss.log_prob(test).mean():.4f}")
    gap = (drawn.std(0) - test.std(0)).abs().max().item()
    print(f"largest difference in marginal spread, samples against test: {gap:.3f}")


if __name__ == "__main__":
    main()
