"""Neural Cox model: negative log partial likelihood over risk sets, early stopping on a validation cohort."""
import argparse
import copy
import logging

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

log = logging.getLogger("cox")


def cohort(n, rng):
    age = rng.normal(60, 12, n)
    marker = rng.lognormal(1.0, 0.6, n)
    pressure = rng.normal(130, 18, n)
    treated = rng.integers(0, 2, n)
    noise = rng.normal(size=(n, 5))
    a, m = (age - 60) / 12, np.log(marker) - 1.0
    risk = 0.8 * a + 1.5 * m ** 2 - 0.9 * treated * (m > 0) + 0.3 * (pressure - 130) / 18
    event_time = rng.exponential(np.exp(-risk) * 5)
    censor = rng.exponential(8, n)
    x = np.column_stack([age, marker, pressure, treated, noise])
    return x.astype(np.float32), np.minimum(event_time, censor), (event_time <= censor).astype(np.float32)


def partial_likelihood(score, time, event):
    """Breslow form. Sorted by falling time, the risk set of i is everything up to and including i."""
    order = torch.argsort(time, descending=True)
    score, event = score[order], event[order]
    log_risk = torch.logcumsumexp(score, dim=0)
    return -((score - log_risk) * event).sum() / event.sum()


def concordance(score, time, event):
    earlier = (time[:, None] < time[None, :]) & (event[:, None] > 0)
    gt = (score[:, None] > score[None, :]).float() + 0.5 * (score[:, None] == score[None, :]).float()
    return (gt * earlier).sum().item() / earlier.sum().item()


class RiskNet(nn.Module):
    def __init__(self, n_in, width=32, p=0.2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, width), nn.SiLU(), nn.Dropout(p),
                                  nn.Linear(width, width), nn.SiLU(), nn.Dropout(p))
        self.out = nn.Linear(width, 1, bias=False)      # a constant cancels in the partial likelihood

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)


@torch.no_grad()
def assess(net, data):
    net.eval()
    x, t, e = data
    s = net(x)
    return partial_likelihood(s, t, e).item(), concordance(s, t, e)


def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=1800)
    p.add_argument("--epochs", type=int, default=200)
    p.add_argument("--patience", type=int, default=20)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--lr", type=float, default=3e-3)
    args = p.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(name)s | %(message)s")
    torch.manual_seed(9)
    x, t, e = cohort(args.n, np.random.default_rng(9))
    idx = np.arange(args.n)
    rest, test = train_test_split(idx, test_size=0.25, stratify=e, random_state=9)
    train, valid = train_test_split(rest, test_size=0.25, stratify=e[rest], random_state=9)
    x[:, 1] = np.log(x[:, 1])
    scaler = StandardScaler().fit(x[train])
    z = torch.tensor(scaler.transform(x))
    t, e = torch.tensor(t, dtype=torch.float32), torch.tensor(e)
    sets = {k: (z[i], t[i], e[i]) for k, i in {"train": train, "valid": valid, "test": test}.items()}
    log.info("events: %s", {k: f"{int(v[2].sum())}/{len(v[2])}" for k, v in sets.items()})

    net = RiskNet(z.shape[1])
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-2)
    best, best_state, waited = float("inf"), None, 0
    xt, tt, et = sets["train"]
    for epoch in range(args.epochs):
        net.train()
        for part in torch.randperm(len(xt)).split(args.batch):
            loss = partial_likelihood(net(xt[part]), tt[part], et[part])
            opt.zero_grad()
            loss.backward()
            opt.step()
        val, cidx = assess(net, sets["valid"])
        if val < best - 1e-4:
            best, best_state, waited = val, copy.deepcopy(net.state_dict()), 0
        else:
            waited += 1
        if epoch % 10 == 0:
            log.info("epoch %3d train nlpl %.4f valid nlpl %.4f valid c-index %.3f", epoch, loss.item(), val, cidx)
        if waited >= args.patience:
            log.info("stopped at epoch %d", epoch)
            break
    net.load_state_dict(best_state)
    nlpl, cidx = assess(net, sets["test"])
    log.info("test nlpl %.4f c-index %.3f (chance 0.5)", nlpl, cidx)


if __name__ == "__main__":
    main()
