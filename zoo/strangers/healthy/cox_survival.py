"""Survival analysis: a neural Cox model with Breslow partial likelihood and right-censored subjects.

The loss compares every subject with all who are still at risk, so examples in one batch interact by design, and
the learned score has no fixed origin (adding a constant changes nothing), hence the bias-free output layer.
"""
import copy

import numpy as np
import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


def cohort(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6)).astype(np.float32)
    x[:, 5] = (x[:, 5] > 0.3)                                   # a treatment indicator
    risk = 0.9 * x[:, 0] - 0.7 * x[:, 1] ** 2 / 1.5 + 0.8 * x[:, 2] * x[:, 5] - 0.5 * x[:, 5]
    event_time = rng.exponential(np.exp(-risk)) ** (1 / 1.4)
    censor_time = rng.uniform(0.2, 4.0, n)
    return {"x": torch.from_numpy(x), "time": torch.tensor(np.minimum(event_time, censor_time), dtype=torch.float32),
            "event": torch.tensor(event_time <= censor_time), "risk": torch.tensor(risk)}


def cox_loss(score, time, event):
    order = time.argsort(descending=True)
    score, event = score[order], event[order]
    log_at_risk = torch.logcumsumexp(score, dim=0)
    return (log_at_risk - score)[event].sum() / event.sum()


@torch.no_grad()
def concordance(score, time, event):
    earlier = (time[:, None] < time[None, :]) & event[:, None]
    diff = score[:, None] - score[None, :]
    return ((diff > 0)[earlier].float().mean() + 0.5 * (diff == 0)[earlier].float().mean()).item()


class RiskNet(nn.Module):
    def __init__(self, n_in, width=48, p=0.1):
        super().__init__()
        self.layers = nn.Sequential(weight_norm(nn.Linear(n_in, width)), nn.GELU(), nn.Dropout(p),
                                    weight_norm(nn.Linear(width, width)), nn.GELU(), nn.Dropout(p),
                                    nn.Linear(width, 1, bias=False))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


class Patience:
    def __init__(self, limit):
        self.limit, self.best, self.bad, self.weights = limit, float("inf"), 0, None

    def update(self, value, model):
        if value < self.best - 1e-4:
            self.best, self.bad, self.weights = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.limit


def main():
    torch.manual_seed(31)
    train, valid, test = cohort(6000, 1), cohort(1500, 2), cohort(1500, 3)
    print(f"events observed: {train['event'].float().mean():.1%} of {len(train['time'])}")
    model = RiskNet(6)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=3)
    stop = Patience(10)
    for epoch in range(50):
        model.train()
        running = batches = 0
        for idx in torch.randperm(len(train["time"])).split(500):
            loss = cox_loss(model(train["x"][idx]), train["time"][idx], train["event"][idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            running, batches = running + loss.item(), batches + 1
        model.eval()
        with torch.no_grad():
            s_val = model(valid["x"])
            # the partial likelihood depends on the size of the risk set: same-sized pieces as in training
            v = torch.stack([cox_loss(s_val[i], valid["time"][i], valid["event"][i])
                             for i in torch.arange(1500).split(500)]).mean().item()
        plateau.step(v)
        if epoch % 4 == 0:
            print(f"epoch {epoch:3d} loss {running / batches:.4f} valid {v:.4f} "
                  f"c-index {concordance(s_val, valid['time'], valid['event']):.4f} lr {opt.param_groups[0]['lr']:.1e}")
        if stop.update(v, model):
            print(f"stopped at epoch {epoch}")
            break
    model.load_state_dict(stop.weights)
    model.eval()
    with torch.no_grad():
        s_test, s_train = model(test["x"]), model(train["x"][:1500])
    print(f"final: test c-index {concordance(s_test, test['time'], test['event']):.4f}, "
          f"train c-index {concordance(s_train, train['time'][:1500], train['event'][:1500]):.4f}, "
          f"true risk on test {concordance(test['risk'], test['time'], test['event']):.4f}, linear part "
          f"{concordance(test['x'][:, 0], test['time'], test['event']):.4f}")


if __name__ == "__main__":
    main()
