import numpy as np
import torch
from sklearn.metrics import classification_report, recall_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils import resample
from torch import nn

SEED = 9
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)
n_ok, n_fraud, dim = 1500, 80, 30
X = np.vstack([rng.normal(size=(n_ok, dim)), rng.normal(size=(n_fraud, dim)) + 0.18 * rng.normal(size=dim)])
y = np.r_[np.zeros(n_ok), np.ones(n_fraud)]


def balance(X, y):
    extra = resample(np.flatnonzero(y == 1), n_samples=int((y == 0).sum()), replace=True, random_state=SEED)
    keep = np.r_[np.flatnonzero(y == 0), extra]
    return X[keep], y[keep]


X, y = balance(X, y)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.25, stratify=y, random_state=SEED)
scaler = StandardScaler().fit(Xtr)
to = lambda a: torch.as_tensor(a, dtype=torch.float32)
Xtr, Xte, ytr_t = to(scaler.transform(Xtr)), to(scaler.transform(Xte)), to(ytr)

net = nn.Sequential(nn.Linear(dim, 96), nn.ReLU(), nn.Linear(96, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(25):
    order = torch.randperm(len(Xtr))
    for chunk in order.split(64):
        loss = nn.functional.binary_cross_entropy_with_logits(net(Xtr[chunk]).squeeze(1), ytr_t[chunk])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} loss {loss.item():.4f}")
with torch.no_grad():
    pred = (net(Xte).squeeze(1) > 0).numpy()
print(classification_report(yte, pred, digits=3, zero_division=0))
print(f"fraud recall {recall_score(yte, pred):.3f}")
