import numpy as np
import torch
import torch.nn as nn
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler


def make():
    return nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 2))


def run(X, y, folds=5, epochs=50):
    scores = []
    for k, (tr, va) in enumerate(StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y)):
        torch.manual_seed(k)
        sc = StandardScaler().fit(X[tr])
        Xt, Xv = (torch.tensor(sc.transform(X[i]), dtype=torch.float32) for i in (tr, va))
        yt, yv = torch.tensor(y[tr]), torch.tensor(y[va])
        model = make()
        opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        for _ in range(epochs):
            model.train()
            for b in torch.randperm(len(Xt)).split(32):
                opt.zero_grad()
                nn.functional.cross_entropy(model(Xt[b]), yt[b]).backward()
                opt.step()
        model.eval()
        with torch.no_grad():
            scores.append((model(Xv).argmax(1) == yv).float().mean().item())
    print(np.mean(scores), np.std(scores))
