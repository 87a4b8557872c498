import numpy as np
import torch
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

rng = np.random.default_rng(1)
X = rng.lognormal(0, 1, size=(90, 3000))
y = np.array([0, 1] * 45)
X[:, :3] *= np.where(y == 1, 1.35, 1.0)[:, None]


def make_pipeline():
    return Pipeline([("log", LogScale()), ("scale", StandardScaler()), ("top", SelectKBest(f_classif, k=25))])


class LogScale:
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.log1p(X)

    def fit_transform(self, X, y=None):
        return self.transform(X)


def fit_head(X, y, epochs=120):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Dropout(0.2), nn.Linear(X.shape[1], 8), nn.Tanh(), nn.Linear(8, 2))
    opt = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=1e-2)
    for _ in range(epochs):
        loss = nn.functional.cross_entropy(net(X), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net.eval(), loss.item()


table = make_pipeline().fit_transform(X, y)
scores = []
for fold, (a, b) in enumerate(StratifiedKFold(5, shuffle=True, random_state=3).split(X, y)):
    xa, xb = (torch.tensor(table[i], dtype=torch.float32) for i in (a, b))
    net, last = fit_head(xa, torch.tensor(y[a]))
    with torch.no_grad():
        scores.append((net(xb).argmax(1).numpy() == y[b]).mean())
    print(f"fold {fold} train loss {last:.3f} held-out {scores[-1]:.3f}")
print(f"cross-checked accuracy {np.mean(scores):.3f}")
