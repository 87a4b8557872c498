# %% Card-fraud gate: rare positives, decisions taken on the raw score
# The service compares the raw network output with a cut (no sigmoid in the hot path). The cut is picked on validation data.
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score

SEED = 31
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)

# %% data
def transactions(n):
    amount = rng.lognormal(3.2, 1.1, n)
    hour = rng.integers(0, 24, n)
    abroad = rng.binomial(1, 0.08, n)
    speed = rng.gamma(1.5, 1.0, n)                   # transactions in the last hour
    age = rng.exponential(30, n)                     # days since the card was issued
    night = ((hour < 5) | (hour > 22)).astype(float)
    z = (-7.6 + 0.9 * np.maximum(np.log(amount) - 3.2, 0) + 2.6 * abroad * night + 2.2 * (speed > 3.5)
         + 2.5 * (age < 4) * (amount > 60) + 1.4 * abroad)
    fraud = rng.random(n) < 1 / (1 + np.exp(-2.2 * (z + 3.6)))
    x = np.stack([np.log(amount), np.sin(hour / 24 * 2 * np.pi), np.cos(hour / 24 * 2 * np.pi), abroad, np.log1p(speed),
                  np.log1p(age)], 1)
    return x.astype(np.float32), fraud.astype(np.float32)


X, Y = {}, {}
for part, n in (("train", 24000), ("valid", 10000), ("test", 16000)):
    X[part], Y[part] = transactions(n)
loc, scale = X["train"].mean(0), X["train"].std(0)
X = {k: torch.from_numpy((v - loc) / scale) for k, v in X.items()}
rate = Y["train"].mean()
print({k: f"{len(v)} rows, {v.mean():.3%} fraud" for k, v in Y.items()})

# %% model: output bias set to the base rate, output weights zero, so the first loss is the entropy of the labels
net = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
nn.init.zeros_(net[-1].weight)
nn.init.constant_(net[-1].bias, float(np.log(rate / (1 - rate))))


def nll(score, y):
    """Bernoulli negative log-likelihood of a raw score: log(1 + e^s) - y s."""
    return (nn.functional.softplus(score) - y * score).mean()


def best_cut(score, y, cost_miss=12.0, cost_alarm=1.0):
    """Cheapest cut over all observed scores."""
    order = np.argsort(-score)
    hits = np.cumsum(y[order])
    alarms = np.arange(1, len(y) + 1) - hits
    cost = cost_miss * (y.sum() - hits) + cost_alarm * alarms
    k = int(cost.argmin())
    return float(score[order][k])


def scores(part):
    net.eval()
    with torch.no_grad():
        return net(X[part]).squeeze(1).numpy()


# %% training
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
x, y = X["train"], torch.from_numpy(Y["train"])
EPOCHS, B = 16, 256
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=EPOCHS * (len(x) // B))
for ep in range(EPOCHS):
    net.train()
    order = torch.randperm(len(x))
    total = 0.0
    for i in range(len(x) // B):
        rows = order[i * B:(i + 1) * B]
        s = net(x[rows])[:, 0]
        loss = nll(s, y[rows])
        net.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item()
    if ep % 3 == 0 or ep == EPOCHS - 1:
        print(f"epoch {ep:2d}  nll {total / (len(x) // B):.4f}  valid AP {average_precision_score(Y['valid'], scores('valid')):.3f}")

# %% decision: break-even probability is 1/13, i.e. a raw score near -2.5
cut = best_cut(scores("valid"), Y["valid"])
s, t = scores("test"), Y["test"]
flag = s >= cut
recall, precision = (flag & (t == 1)).sum() / t.sum(), t[flag].mean()
cost = 12 * ((~flag) & (t == 1)).sum() + (flag & (t == 0)).sum()
print(f"cut {cut:.2f} (theory {np.log(1 / 12):.2f})")
print(f"test AP {average_precision_score(t, s):.3f}  recall {recall:.3f}  precision {precision:.3f}  "
      f"cost {cost:.0f} (flag nothing {12 * t.sum():.0f})")
