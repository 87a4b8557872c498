# %% [markdown]
# # Stars are ordered: ordinal regression without pretending it is classification
# Guests give 1 to 5 stars. Predicting class 1 when the truth is 5 is worse than predicting 4, and
# softmax does not know that. The proportional-odds model asks four yes/no questions instead:
# "more than 1 star?", "more than 2?", ... All four share one score; only the cut points differ.

# %%
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import cohen_kappa_score, confusion_matrix, mean_absolute_error
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SEED = 5
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)
K = 5

# %% [markdown]
# ## Some hotels
# Price in euros, minutes from the station, square metres, and three opinions on a 0-10 scale.
# What the guest feels is hidden; what we see is the star it fell into.

# %%
n = 8000
price = rng.gamma(6, 22, n)
minutes = rng.gamma(2.5, 6, n)
sqm = rng.normal(22, 5, n).clip(8)
clean, staff, food = (rng.beta(4, 2, n) * 10 for _ in range(3))
feeling = (0.8 * clean + 0.6 * staff + 0.35 * food + 0.12 * sqm - 1.2 * np.log(price / 60)
           - 0.05 * minutes + 0.12 * (clean - 6) * (staff - 6) + rng.logistic(0, 0.55, n))
cuts = np.quantile(feeling, [0.14, 0.32, 0.55, 0.80])
stars = np.digitize(feeling, cuts)                       # 0..4, shown to humans as 1..5
X = np.column_stack([price, minutes, sqm, clean, staff, food])
print("share of each star:", np.bincount(stars) / n)

X_tr, X_tmp, y_tr, y_tmp = train_test_split(X, stars, test_size=0.4, stratify=stars, random_state=SEED)
X_va, X_te, y_va, y_te = train_test_split(X_tmp, y_tmp, test_size=0.5, stratify=y_tmp, random_state=SEED)
scaler = StandardScaler().fit(X_tr)
T = lambda a: torch.tensor(scaler.transform(a), dtype=torch.float32)
X_tr, X_va, X_te = T(X_tr), T(X_va), T(X_te)
y_tr, y_va, y_te = map(torch.from_numpy, (y_tr, y_va, y_te))


def questions(y):
    "3 -> [1, 1, 1, 0]: was it more than each cut?"
    return (y[:, None] > torch.arange(K - 1)).float()


print("star 4 becomes", questions(torch.tensor([3])).tolist()[0])


# %% [markdown]
# ## The model
# The cut points must stay in order, so we learn the first one and the positive gaps between them.

# %%
class ProportionalOdds(nn.Module):
    def __init__(self, d, h=32):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(d, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 1, bias=False))
        self.first = nn.Parameter(torch.tensor(-1.5))
        self.gaps = nn.Parameter(torch.full((K - 2,), 0.54))   # softplus(0.54) is about 1

    def cuts(self):
        return torch.cat([self.first[None], self.first + F.softplus(self.gaps).cumsum(0)])

    def forward(self, x):
        return self.score(x) - self.cuts()                     # (B, 1) - (K-1,) -> (B, K-1) on purpose


def predict(logits):
    "count the questions answered yes; a logit above 0 is a probability above one half"
    return (logits > 0).sum(1)


# %%
net = ProportionalOdds(X_tr.shape[1])
opt = torch.optim.Adam(net.parameters(), lr=1.5e-2)
epochs, bs = 21, 128
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=epochs)

for epoch in range(1, epochs + 1):
    net.train()
    order, total = torch.randperm(len(X_tr)), 0.0
    for idx in order.split(bs):
        loss = F.binary_cross_entropy_with_logits(net(X_tr[idx]), questions(y_tr[idx]))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    sched.step()
    if epoch % 3 == 0 or epoch == 1:
        net.eval()
        with torch.no_grad():
            lv = net(X_va)
            val = F.binary_cross_entropy_with_logits(lv, questions(y_va)).item()
            qwk = cohen_kappa_score(y_va, predict(lv), weights="quadratic")
        print(f"epoch {epoch:2d}  train {total/len(X_tr):.4f}  val {val:.4f}  val QWK {qwk:.4f}")

# %% [markdown]
# ## How good is it?

# %%
net.eval()
with torch.no_grad():
    pred = predict(net(X_te))
    learned = net.cuts().numpy()
print("cut points:", np.round(learned, 2))
print(f"test QWK {cohen_kappa_score(y_te, pred, weights='quadratic'):.4f}  "
      f"MAE {mean_absolute_error(y_te, pred):.4f} stars  exact {(pred == y_te).float().mean():.4f}")
print(confusion_matrix(y_te, pred))
