"""Neural Cox proportional hazards with right censoring; full-batch Breslow partial likelihood."""
import numpy as np
import torch
from torch import nn
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

RNG = np.random.default_rng(77)
torch.manual_seed(77)


def cohort(n):
    age = RNG.normal(60, 11, n)
    marker = RNG.lognormal(0.0, 0.6, n)
    stage = RNG.integers(1, 5, n)
    treated = RNG.integers(0, 2, n)
    noise = RNG.normal(size=(n, 3))
    eta = 0.05 * (age - 60) + 0.7 * (stage - 2.5) + 0.9 * np.log(marker) ** 2 - 0.9 * treated * (stage >= 3)
    t = RNG.weibull(1.4, n) * 24 * np.exp(-eta / 1.4)
    c = RNG.uniform(6, 60, n)
    X = np.column_stack([age, np.log(marker), stage, treated, noise])
    return X, np.minimum(t, c), (t <= c).astype(np.float64), eta


def concordance(risk, time, event):
    risk, time, event = map(np.asarray, (risk, time, event))
    usable = (time[:, None] < time[None, :]) & (event[:, None] == 1)
    d = risk[:, None] - risk[None, :]
    return ((d > 0)[usable].sum() + 0.5 * (d == 0)[usable].sum()) / usable.sum()


def neg_log_partial(risk, time, event):
    order = torch.argsort(time, descending=True)
    r, e = risk[order], event[order]
    return -((r - torch.logcumsumexp(r, 0)) * e).sum() / e.sum()


X, T, E, eta_true = cohort(2400)
print(f"n={len(T)}  events={int(E.sum())} ({E.mean():.0%})  median follow-up {np.median(T):.1f} months")
dev_i, test_i = train_test_split(np.arange(len(T)), test_size=0.25, stratify=E, random_state=1)
fit_i, val_i = train_test_split(dev_i, test_size=0.2, stratify=E[dev_i], random_state=1)
scaler = StandardScaler().fit(X[fit_i])
as_t = lambda a: torch.tensor(a, dtype=torch.float32)
Z, T_, E_ = as_t(scaler.transform(X)), as_t(T), as_t(E)


def train(model, lr, epochs, wd, patience=60, verbose=None):
    opt = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=wd)
    best, wait, state = np.inf, 0, None
    for ep in range(epochs):
        model.train()
        loss = neg_log_partial(model(Z[fit_i]).squeeze(-1), T_[fit_i], E_[fit_i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.eval()
        with torch.no_grad():
            rv = model(Z[val_i]).squeeze(-1)
            v = neg_log_partial(rv, T_[val_i], E_[val_i]).item()
        if v < best:
            best, wait, state = v, 0, {k: w.clone() for k, w in model.state_dict().items()}
        else:
            wait += 1
            if wait > patience:
                break
        if verbose and ep % 50 == 0:
            print(f"  {verbose} ep {ep:4d}  -logPL fit {loss.item():.4f}  val {v:.4f}  val C {concordance(rv, T[val_i], E[val_i]):.4f}")
    model.load_state_dict(state)
    model.eval()
    return best


def mlp():
    return nn.Sequential(nn.Linear(7, 32), nn.SELU(), nn.AlphaDropout(0.05), nn.Linear(32, 32), nn.SELU(), nn.Linear(32, 1, bias=False))


linear = nn.Linear(7, 1, bias=False)
train(linear, 2e-2, 600, 0.0, verbose="linear")

members = []
for s in range(5):
    torch.manual_seed(100 + s)
    m = mlp()
    b = train(m, 3e-3, 900, 1e-3, verbose="deep" if s == 0 else None)
    members.append(m)
    print(f"  member {s}: best val -logPL {b:.4f}")

with torch.no_grad():
    lin_risk = linear(Z[test_i]).squeeze(-1)
    outs = torch.stack([m(Z[test_i]).squeeze(-1) for m in members])
    risk = (outs - outs.mean(1, keepdim=True)).mean(0)

high = risk.numpy() > np.median(risk.numpy())
print("test C-index: linear %.4f | deep ensemble %.4f | true hazard %.4f" % tuple(
    concordance(r, T[test_i], E[test_i]) for r in (lin_risk, risk, eta_true[test_i])))
print("observed event rate in test, high-risk half %.2f, low-risk half %.2f" % (E[test_i][high].mean(), E[test_i][~high].mean()))
