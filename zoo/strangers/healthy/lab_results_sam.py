"""Outcome prediction from incomplete lab panels, trained with sharpness-aware minimisation.

Not every patient gets every test, so a missing value is itself informative. The table
keeps its NaNs all the way into the network; `PanelEncoder` turns each column into
(value, was-it-measured) before the first layer.
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score

SEED = 2024
N_TESTS = 14


def simulate_panels(n, seed):
    rng = np.random.default_rng(seed)
    severity = rng.normal(size=n)
    loadings = np.linspace(-1.2, 1.2, N_TESTS)
    values = severity[:, None] * loadings + rng.normal(0, 1.0, size=(n, N_TESTS))
    values = values * np.linspace(0.5, 40, N_TESTS) + np.linspace(1, 200, N_TESTS)   # clinical units
    # sicker patients get more tests; at most half of the panel is missing on average
    p_missing = 1 / (1 + np.exp(0.8 * severity))[:, None] * np.linspace(0.2, 1.0, N_TESTS)
    values[rng.random(values.shape) < p_missing] = np.nan
    risk = 1.8 * severity - 1.0 + 0.9 * np.sin(2 * severity)
    outcome = rng.random(n) < 1 / (1 + np.exp(-2.0 * risk))
    return values.astype(np.float32), outcome.astype(np.float32)


class PanelEncoder(nn.Module):
    """Standardise measured entries, zero the rest, append the measurement mask."""

    def __init__(self, train_values):
        super().__init__()
        self.register_buffer("center", torch.from_numpy(np.nanmean(train_values, axis=0)))
        self.register_buffer("spread", torch.from_numpy(np.nanstd(train_values, axis=0)))

    def forward(self, x):
        seen = ~torch.isnan(x)
        z = torch.nan_to_num((x - self.center) / self.spread, nan=0.0)
        return torch.cat([z, seen.float()], dim=1)


class RiskNet(nn.Module):
    def __init__(self, encoder, width=48):
        super().__init__()
        self.encoder = encoder
        self.trunk = nn.Sequential(
            nn.Linear(2 * N_TESTS, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
        )
        self.logit = nn.Linear(width, 1)

    def forward(self, x):
        return self.logit(self.trunk(self.encoder(x))).squeeze(1)


class SAM:
    """Climb to the worst point within a ball of radius rho, take its gradient, step from where we were."""

    def __init__(self, base, rho=0.05):
        self.base = base
        self.rho = rho
        self.moved = []

    def params(self):
        return [p for g in self.base.param_groups for p in g["params"] if p.grad is not None]

    @torch.no_grad()
    def climb(self):
        params = self.params()
        norm = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in params]))
        for p in params:
            shift = p.grad * (self.rho / (norm + 1e-12))
            p.add_(shift)
            self.moved.append((p, shift))
        self.base.zero_grad()

    @torch.no_grad()
    def descend(self):
        for p, shift in self.moved:
            p.sub_(shift)
        self.moved.clear()
        self.base.step()
        self.base.zero_grad()


@torch.no_grad()
def predict(net, x):
    net.eval()
    return torch.sigmoid(net(x))


def main():
    torch.manual_seed(SEED)
    x_train, y_train = simulate_panels(4000, SEED)
    x_val, y_val = simulate_panels(1000, SEED + 1)
    x_test, y_test = simulate_panels(2000, SEED + 2)
    print(f"missing entries: {np.isnan(x_train).mean():.0%}, event rate {y_train.mean():.0%}")

    net = RiskNet(PanelEncoder(x_train))
    sam = SAM(torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4))
    xt, yt = torch.from_numpy(x_train), torch.from_numpy(y_train)

    for epoch in range(20):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(xt)).split(100):
            loss = F.binary_cross_entropy_with_logits(net(xt[idx]), yt[idx])
            loss.backward()
            sam.climb()
            F.binary_cross_entropy_with_logits(net(xt[idx]), yt[idx]).backward()
            sam.descend()
            total += loss.item() * len(idx)
        if epoch % 4 == 3:
            auc = roc_auc_score(y_val, predict(net, torch.from_numpy(x_val)).numpy())
            print(f"epoch {epoch + 1:2d}  loss {total / len(xt):.4f}  val AUC {auc:.4f}")

    prob = predict(net, torch.from_numpy(x_test)).numpy()
    brier, base = np.mean((prob - y_test) ** 2), np.mean((y_train.mean() - y_test) ** 2)
    print(f"test AUC {roc_auc_score(y_test, prob):.4f}  Brier {brier:.4f} (base rate {base:.4f})")


if __name__ == "__main__":
    main()
