# %% [markdown]
# # Tumour subtype from expression profiles
# 2400 probes, a few of them matter. We keep the best 40 and train a small net.

# %%
import numpy as np
import torch
import torch.nn as nn
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

SEED = 7
np.random.seed(SEED)
torch.manual_seed(SEED)

# %%
# simulated cohort (the real one is under embargo)
rng = np.random.RandomState(SEED)
n_patients, n_probes, n_driver = 700, 2400, 14
subtype = rng.permutation(np.repeat([0, 1], n_patients // 2))
expr = rng.lognormal(mean=1.0, sigma=0.4, size=(n_patients, n_probes))
drivers = rng.choice(n_probes, n_driver, replace=False)
effect = rng.choice([-1, 1], n_driver) * rng.uniform(0.17, 0.27, n_driver)
expr[:, drivers] *= np.exp(np.outer(subtype * 2 - 1, effect / 2))
X = np.log2(expr + 1)
y = subtype
print("cohort", X.shape, "class counts", np.bincount(y))

# %%
selector = SelectKBest(f_classif, k=40)
X = selector.fit_transform(X, y)
print("true drivers kept:", len(set(selector.get_support(indices=True)) & set(drivers)), "of", n_driver)

# %%
# hold out 35 % of the patients for the final number
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.35, stratify=y, random_state=SEED
)
scaler = StandardScaler().fit(X_train)
X_train = torch.tensor(scaler.transform(X_train), dtype=torch.float32)
X_test = torch.tensor(scaler.transform(X_test), dtype=torch.float32)
y_train = torch.tensor(y_train, dtype=torch.float32)
print("train", tuple(X_train.shape), "test", tuple(X_test.shape))

# %%
train_loader = DataLoader(
    TensorDataset(X_train, y_train),
    batch_size=32,
    shuffle=True,
    generator=torch.Generator().manual_seed(SEED),
)


class SubtypeNet(nn.Module):
    def __init__(self, d, hidden=8, p=0.5):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(d, hidden),
            nn.ReLU(),
            nn.Dropout(p),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.body(x).squeeze(1)


net = SubtypeNet(X_train.shape[1])
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=12)

# %%
for epoch in range(12):
    net.train()
    running, seen = 0.0, 0
    for xb, yb in train_loader:
        opt.zero_grad()
        loss = loss_fn(net(xb), yb)
        loss.backward()
        opt.step()
        running += loss.item() * len(xb)
        seen += len(xb)
    sched.step()
    if epoch % 3 == 0 or epoch == 11:
        print(f"epoch {epoch:02d}  train loss {running / seen:.4f}")

# %%
net.eval()
with torch.no_grad():
    prob = torch.sigmoid(net(X_test)).numpy()
print(f"test balanced accuracy {balanced_accuracy_score(y_test, prob > 0.5):.3f}")
print(f"test AUC               {roc_auc_score(y_test, prob):.3f}")
