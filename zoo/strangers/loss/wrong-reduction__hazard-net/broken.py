# %% [markdown]
# # Discrete-time survival with a small network
# Follow-up is cut into yearly intervals; the network gives the log-odds of an event in each interval
# (Gensheimer & Narasimhan style). Patients leave the study early, so each row counts only up to its last interval.

# %%
import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(0)
rng = np.random.default_rng(0)
N_INT = 12

# %% Cohort
def cohort(n):
    age = rng.normal(60, 11, n)
    bmi = rng.normal(27, 4.5, n)
    sbp = rng.normal(135, 18, n) + 0.3 * (age - 60)
    smoker = rng.binomial(1, 0.3, n)
    marker = rng.gamma(2.0, 1.0, n)
    arm = rng.binomial(1, 0.5, n)
    risk = (0.05 * (age - 60) + 0.7 * smoker * (marker > 2) + 0.015 * (sbp - 135)
            + 0.006 * (bmi - 26) ** 2 - 0.8 * arm * (marker > 1.5) + 0.25 * np.log(marker + 0.1))
    t_event = (rng.weibull(1.4, n) * 10 * np.exp(-risk / 1.1))
    t_cens = rng.uniform(2, 14, n)
    time = np.minimum(np.minimum(t_event, t_cens), N_INT - 1e-6)
    event = (t_event <= t_cens) & (t_event < N_INT)
    x = np.stack([age, bmi, sbp, smoker, np.log(marker + 0.1), arm], 1)
    return x.astype(np.float32), time, event.astype(np.float32)


x_tr, t_tr, e_tr = cohort(4000)
x_va, t_va, e_va = cohort(1000)
x_te, t_te, e_te = cohort(2000)
mu, sd = x_tr.mean(0), x_tr.std(0)
print(f"events: train {e_tr.mean():.2f}  test {e_te.mean():.2f}")


def encode(x, t, e):
    k = torch.from_numpy(t.astype(np.int64))                      # last interval entered
    grid = torch.arange(N_INT).unsqueeze(0)
    at_risk = (grid <= k.unsqueeze(1)).float()
    died = (grid == k.unsqueeze(1)).float() * torch.from_numpy(e).unsqueeze(1)
    return torch.from_numpy((x - mu) / sd), at_risk, died


train, valid, test = encode(x_tr, t_tr, e_tr), encode(x_va, t_va, e_va), encode(x_te, t_te, e_te)

# %% Model, written functionally: the parameters are one flat dict
def init(sizes):
    p = {}
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        p[f"w{i}"] = (torch.randn(a, b) * (2.0 / a) ** 0.5).requires_grad_()
        p[f"b{i}"] = torch.zeros(b, requires_grad=True)
    return p


def log_odds(p, x):
    depth = len(p) // 2
    for i in range(depth):
        x = x @ p[f"w{i}"] + p[f"b{i}"]
        if i < depth - 1:
            x = torch.relu(x)
    return x


def hazard_nll(logits, at_risk, died):
    per_cell = F.binary_cross_entropy_with_logits(logits, died, reduction="none")
    return (per_cell * at_risk).sum()


# %% Concordance (Harrell), higher expected risk should fail first
def c_index(risk, t, e):
    risk = np.asarray(risk)
    earlier = (t[:, None] < t[None, :]) & (e[:, None] == 1)
    more = risk[:, None] > risk[None, :]
    tie = risk[:, None] == risk[None, :]
    return (earlier * (more + 0.5 * tie)).sum() / earlier.sum()


@torch.no_grad()
def score(p, data, t, e):
    x, at_risk, died = data
    logits = log_odds(p, x)
    nll = hazard_nll(logits, at_risk, died).item()
    surv = torch.cumsum(F.logsigmoid(-logits), 1)
    risk = -surv.exp().sum(1)
    return nll, c_index(risk.numpy(), t, e)


# %% Fit
params = init([6, 48, 48, N_INT])
opt = torch.optim.SGD(params.values(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
EPOCHS, BATCH = 25, 128
for epoch in range(EPOCHS):
    perm = torch.randperm(len(train[0]))
    for i in range(0, len(perm), BATCH):
        rows = perm[i:i + BATCH]
        x, at_risk, died = (a[rows] for a in train)
        loss = hazard_nll(log_odds(params, x), at_risk, died)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    if epoch % 4 == 0 or epoch == EPOCHS - 1:
        nll, c = score(params, valid, t_va, e_va)
        print(f"epoch {epoch:2d}   batch loss {loss.item():10.4f}   valid loss {nll:10.4f}   C {c:.3f}")

# %% Report
nll, c = score(params, test, t_te, e_te)
with torch.no_grad():
    five_year = torch.cumsum(F.logsigmoid(-log_odds(params, test[0])), 1).exp()[:, 4].mean().item()
print(f"test C-index {c:.3f}   mean predicted 5-year survival {five_year:.3f}   loss {nll:.4f}")
