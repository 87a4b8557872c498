import numpy as np
import torch
import torch.nn as nn
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler


def make_model(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, n_out))


def cross_validate(X, y, n_classes, folds=5, epochs=40):
    skf = StratifiedKFold(n_splits=folds, shuffle=True, random_state=7)
    accs = []
    for fold, (tr, va) in enumerate(skf.split(X, y)):
        torch.manual_seed(fold)
        sc = StandardScaler().fit(X[tr])
        xt = torch.tensor(sc.transform(X[tr]), dtype=torch.float32)
        xv = torch.tensor(sc.transform(X[va]), dtype=torch.float32)
        yt, yv = torch.tensor(y[tr]), torch.tensor(y[va])
        model = make_model(X.shape[1], n_classes)
        opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        for _ in range(epochs):
            model.train()
            for idx in torch.randperm(len(xt)).split(32):
                opt.zero_grad()
                loss = nn.functional.cross_entropy(model(xt[idx]), yt[idx])
                loss.backward()
                opt.step()
        model.eval()
        with torch.no_grad():
            accs.append((model(xv).argmax(1) == yv).float().mean().item())
    return np.mean(accs), np.std(accs)
