"""DeepSurv on a simulated two-arm trial: Cox partial likelihood, risk network, Harrell's C."""
import copy

import numpy as np
import torch
from torch import nn


class TrialSimulator:
    def __init__(self, n_covariates=10, censor_at=2.0, seed=0):
        self.rng = np.random.default_rng(seed)
        self.p, self.censor_at = n_covariates, censor_at

    def hazard(self, x):
        return 1.2 * x[:, 0] - 0.9 * x[:, 1] + 1.0 * np.sin(2 * x[:, 2]) + 0.7 * x[:, 3] * x[:, 4]

    def draw(self, n):
        x = self.rng.normal(size=(n, self.p))
        t = self.rng.exponential(1.0, n) / np.exp(self.hazard(x))
        c = self.rng.uniform(0.2, self.censor_at, n)
        event = t <= c
        time = np.where(event, t, c)
        return tuple(torch.tensor(v, dtype=torch.float32) for v in (x, time, event))


class RiskNet(nn.Module):
    def __init__(self, p, width=32, dropout=0.1):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(p, width), nn.SELU(), nn.Dropout(dropout),
            nn.Linear(width, width), nn.SELU(), nn.Dropout(dropout),
            nn.Linear(width, 1, bias=False))

    def forward(self, x):
        return self.layers(x)[:, 0]


def partial_likelihood_loss(risk, time, event):
    """Breslow form. Sorting by descending time makes each risk set a prefix."""
    order = torch.argsort(time, descending=True)
    risk, event = risk[order], event[order]
    log_risk_set = torch.logcumsumexp(risk, dim=0)
    terms = (risk - log_risk_set) * event
    return terms.sum() / event.sum().clamp(min=1)


def harrell_c(risk, time, event):
    """Share of comparable pairs in which the patient who fails first has the higher risk."""
    first = (time[:, None] < time[None, :]) & (event[:, None] > 0)
    agree = (risk[:, None] > risk[None, :]).float() + 0.5 * (risk[:, None] == risk[None, :]).float()
    return (agree * first).sum().item() / first.sum().item()


class SurvTrainer:
    def __init__(self, net, lr=1e-3, weight_decay=1e-3, batch=128, max_epochs=30, warmup=3):
        self.net, self.batch, self.max_epochs = net, batch, max_epochs
        self.opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=weight_decay)
        self.sched = torch.optim.lr_scheduler.SequentialLR(
            self.opt,
            [torch.optim.lr_scheduler.LinearLR(self.opt, 0.2, total_iters=warmup),
             torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, max_epochs - warmup)],
            milestones=[warmup])
        self.log = []

    def _train_epoch(self, x, time, event):
        self.net.train()
        losses = []
        for idx in torch.randperm(len(x)).split(self.batch):
            loss = partial_likelihood_loss(self.net(x[idx]), time[idx], event[idx])
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
            self.opt.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def concordance(self, x, time, event):
        self.net.eval()
        return harrell_c(self.net(x), time, event)

    def fit(self, train, valid):
        best, best_state = -1.0, None
        for epoch in range(self.max_epochs):
            loss = self._train_epoch(*train)
            self.sched.step()
            c = self.concordance(*valid)
            self.log.append((epoch, loss, c))
            if c > best:
                best, best_state = c, copy.deepcopy(self.net.state_dict())
        self.net.load_state_dict(best_state)
        return self


if __name__ == "__main__":
    torch.manual_seed(17)
    sim = TrialSimulator(seed=17)
    train, valid, test = sim.draw(1920), sim.draw(500), sim.draw(800)
    print(f"event rate {train[2].mean():.2f}")
    trainer = SurvTrainer(RiskNet(sim.p)).fit(train, valid)
    for epoch, loss, c in trainer.log[::6]:
        print(f"{epoch:3d}  loss {loss:9.4f}  valid C {c:.3f}")
    print(f"test C-index {trainer.concordance(*test):.3f}")
