"""Neural Cox model for a synthetic clinic cohort with drop-out during follow-up."""
import numpy as np
import torch
import torch.nn as nn


def cohort(n, rng):
    x = rng.normal(size=(n, 8)).astype(np.float32)
    log_hazard = 1.1 * x[:, 0] - 0.9 * x[:, 1] + 0.7 * x[:, 2] * x[:, 3] + 0.5 * np.abs(x[:, 4])
    log_dropout = 1.0 - 1.4 * x[:, 0] + 1.3 * x[:, 1] - 0.9 * x[:, 2] * x[:, 3]
    died = rng.exponential(np.exp(-log_hazard))
    left = rng.exponential(np.exp(-log_dropout))
    time = np.minimum(died, left)
    return x, time.astype(np.float32), (died <= left).astype(np.float32), died


def concordance(risk, time, event):
    earlier = (time[:, None] < time[None, :]) & (event[:, None] > 0)
    better = risk[:, None] > risk[None, :]
    return (better & earlier).sum() / earlier.sum()


class RiskNet(nn.Module):
    def __init__(self, n_in, hidden=(48, 48)):
        super().__init__()
        layers, last = [], n_in
        for h in hidden:
            layers += [nn.Linear(last, h), nn.SiLU()]
            last = h
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(last, 1, bias=False)

    def forward(self, x):
        return self.head(self.body(x))


class PartialLikelihood(nn.Module):
    """Negative Cox partial log-likelihood of one batch (no tie correction)."""

    def forward(self, risk, time, event):
        order = torch.argsort(time, descending=True)
        risk, event = risk[order], event[order]
        at_risk = torch.logcumsumexp(risk, dim=0)
        contribution = (risk - at_risk) * event
        return -contribution.mean()


class Study:
    def __init__(self, seed=31):
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        self.train, self.val = cohort(4000, rng), cohort(1000, rng)
        self.net = RiskNet(self.train[0].shape[1])
        self.objective = PartialLikelihood()
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=2e-3, weight_decay=0.05)

    def fit(self, epochs=20, batch=128):
        x, time, event = (torch.from_numpy(a) for a in self.train[:3])
        for epoch in range(1, epochs + 1):
            self.net.train()
            losses = []
            for idx in torch.randperm(len(x)).split(batch):
                loss = self.objective(self.net(x[idx]), time[idx], event[idx])
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                losses.append(loss.item())
            if epoch % 4 == 0:
                observed, true = self.evaluate()
                print(f"epoch {epoch:2d}  loss {np.mean(losses):.4f}  val c-index {observed:.4f}")
        return self

    def evaluate(self):
        x, time, event, died = self.val
        self.net.eval()
        with torch.no_grad():
            risk = self.net(torch.from_numpy(x)).squeeze(1).numpy()
        return concordance(risk, time, event), concordance(risk, died, np.ones_like(event))


if __name__ == "__main__":
    study = Study()
    print(f"events observed: {study.train[2].mean():.2f}")
    observed, true = study.fit().evaluate()
    print(f"c-index on follow-up data {observed:.4f}   c-index against true survival {true:.4f}")
