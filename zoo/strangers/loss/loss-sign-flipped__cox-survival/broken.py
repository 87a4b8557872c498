"""DeepSurv-like Cox model on simulated clinical records with right censoring."""
import click
import numpy as np
import torch
from torch import nn


def simulate_cohort(n, rng):
    x = rng.normal(size=(n, 8))
    x[:, 5] = (x[:, 5] > 0.4)
    x[:, 6] = (x[:, 6] > -0.2)
    risk = 0.9 * x[:, 0] + 0.7 * x[:, 1] ** 2 - 0.8 * x[:, 2] * x[:, 5] + 0.5 * x[:, 6]
    survival = rng.exponential(1.0, n) * np.exp(-1.2 * risk) * 8
    censor = rng.exponential(15.0, n)
    return x.astype(np.float32), np.minimum(survival, censor).astype(np.float32), (survival <= censor)


def cox_partial_likelihood(log_risk, time, event):
    """Breslow form; the risk set of a subject is everybody who is still under observation at its time."""
    order = torch.argsort(time, descending=True)
    log_risk, event = log_risk[order], event[order]
    log_cum = torch.logcumsumexp(log_risk, dim=0)
    return ((log_risk - log_cum) * event).sum() / event.sum()


def concordance(log_risk, time, event):
    earlier = (time[:, None] < time[None, :]) & event[:, None].bool()
    gap = log_risk[:, None] - log_risk[None, :]
    return ((gap > 0) & earlier).sum().item() / earlier.sum().item()


class RiskNet(nn.Module):
    def __init__(self, n_in, hidden, dropout):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_in, hidden), nn.SELU(), nn.AlphaDropout(dropout),
            nn.Linear(hidden, hidden), nn.SELU(), nn.AlphaDropout(dropout),
            nn.Linear(hidden, 1, bias=False),
        )

    def forward(self, x):
        return self.layers(x).squeeze(-1)


@click.command()
@click.option("--patients", default=3000)
@click.option("--epochs", default=40)
@click.option("--batch", default=256)
@click.option("--lr", default=5e-3)
@click.option("--weight-decay", default=1e-2)
@click.option("--seed", default=13)
def main(patients, epochs, batch, lr, weight_decay, seed):
    torch.manual_seed(seed)
    x, time, event = simulate_cohort(patients, np.random.default_rng(seed))
    n = int(0.75 * patients)
    mu, sd = x[:n].mean(0), x[:n].std(0)
    x = torch.from_numpy((x - mu) / sd)
    time, event = torch.from_numpy(time), torch.from_numpy(event.astype(np.float32))
    click.echo(f"{n} training patients, {patients - n} test patients, {event.mean():.0%} events observed")

    net = RiskNet(x.shape[1], 48, 0.05)
    opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=weight_decay)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(1, epochs + 1):
        net.train()
        history = []
        perm = torch.randperm(n)
        for i in range(0, n - batch + 1, batch):
            idx = perm[i:i + batch]
            objective = cox_partial_likelihood(net(x[idx]), time[idx], event[idx])
            opt.zero_grad()
            objective.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
            history.append(objective.item())
        sched.step()
        if epoch % 5 == 0 or epoch == 1:
            net.eval()
            with torch.no_grad():
                out = net(x)
            click.echo(f"epoch {epoch:3d}  objective {np.mean(history):9.4f}  "
                       f"c-index train {concordance(out[:n], time[:n], event[:n]):.3f}  "
                       f"test {concordance(out[n:], time[n:], event[n:]):.3f}")


if __name__ == "__main__":
    main()
