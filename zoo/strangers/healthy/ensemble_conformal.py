"""
Deep ensemble -> temperature scaling -> split-conformal prediction sets.
Five splits-worth of care: fit / early-stop / calibrate / conformal / test.
"""
import numpy as np
import torch
from torch import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

ALPHA = 0.05
MEMBERS = 5


def carve(seed=17):
    X, y = load_digits(return_X_y=True)
    r = np.random.default_rng(seed)
    X = X + r.normal(0, 5.0, X.shape)          # noisy scanner
    parts, rest_X, rest_y = {}, X, y
    for name, n in (("test", 400), ("conformal", 250), ("calib", 200), ("stop", 200)):
        rest_X, Xp, rest_y, yp = train_test_split(rest_X, rest_y, test_size=n, stratify=rest_y, random_state=seed)
        parts[name] = (Xp, yp)
    parts["fit"] = (rest_X, rest_y)
    mu, sd = rest_X.mean(0), rest_X.std(0)
    return {k: (torch.tensor((a - mu) / sd, dtype=torch.float32), torch.tensor(b)) for k, (a, b) in parts.items()}


def train_member(k, parts):
    torch.manual_seed(1000 + k)
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 10))
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
    X, y = parts["fit"]
    Xs, ys = parts["stop"]
    low, frozen, stale = np.inf, None, 0
    for epoch in range(60):
        net.train()
        for b in torch.randperm(len(X)).split(32):
            opt.zero_grad()
            nn.functional.cross_entropy(net(X[b]), y[b]).backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            v = nn.functional.cross_entropy(net(Xs), ys).item()
        if v < low:
            low, stale, frozen = v, 0, {n: t.clone() for n, t in net.state_dict().items()}
        else:
            stale += 1
        if stale == 6:
            break
    net.load_state_dict(frozen)
    net.eval()
    print(f"member {k}: {epoch + 1} epochs, stop-set CE {low:.4f}")
    return net


@torch.no_grad()
def mixture_logp(nets, X):
    return torch.logsumexp(torch.stack([n(X).log_softmax(1) for n in nets]), 0) - np.log(len(nets))


def fit_temperature(logp, y):
    log_t = torch.zeros((), requires_grad=True)
    opt = torch.optim.LBFGS([log_t], lr=0.5, max_iter=50)

    def closure():
        opt.zero_grad()
        l = nn.functional.cross_entropy(logp / log_t.exp(), y)
        l.backward()
        return l
    opt.step(closure)
    return log_t.exp().item()


def ece(p, y, bins=10):
    conf, pred = p.max(1)
    hit = (pred == y).float()
    edges = torch.linspace(0, 1, bins + 1)
    total = 0.0
    for lo, hi in zip(edges[:-1], edges[1:]):
        m = (conf > lo) & (conf <= hi)
        if m.any():
            total += m.float().mean() * (hit[m].mean() - conf[m].mean()).abs()
    return float(total)


parts = carve()
print({k: len(v[1]) for k, v in parts.items()})
nets = [train_member(k, parts) for k in range(MEMBERS)]

T = fit_temperature(mixture_logp(nets, parts["calib"][0]), parts["calib"][1])
Xt, yt = parts["test"]
raw = mixture_logp(nets, Xt)
tempered = (raw / T).softmax(1)
single = mixture_logp(nets[:1], Xt)
print(f"temperature = {T:.3f}")
for name, p in (("single", single.exp()), ("ensemble", raw.exp()), ("ensemble+T", tempered)):
    nll = -p.gather(1, yt[:, None]).clamp_min(1e-12).log().mean().item()
    print(f"{name:11s} test acc {(p.argmax(1) == yt).float().mean():.4f}  nll {nll:.4f}  ece {ece(p, yt):.4f}")

Xc, yc = parts["conformal"]
pc = (mixture_logp(nets, Xc) / T).softmax(1)
score = 1 - pc.gather(1, yc[:, None]).squeeze(1)
n = len(yc)
q = torch.quantile(score, min(1.0, np.ceil((n + 1) * (1 - ALPHA)) / n), interpolation="higher").item()
sets = (1 - tempered) <= q
cover = sets.gather(1, yt[:, None]).float().mean().item()
print(f"conformal @ {1 - ALPHA:.0%}: threshold {q:.4f}, test coverage {cover:.4f}, mean set size {sets.sum(1).float().mean():.3f}")
