# 5-fold CV, a fresh little net for every fold, then the mean of the fold scores
import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 2024
EPOCHS = 30
X, y = load_breast_cancer(return_X_y=True)
X, y = X.astype(np.float32), y.astype(np.float32)

scores, aucs = [], []
for fold, (tr, te) in enumerate(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y)):
    torch.manual_seed(SEED + fold)
    scaler = StandardScaler().fit(X[tr])
    x_tr, x_te = map(torch.from_numpy, (scaler.transform(X[tr]), scaler.transform(X[te])))
    y_tr, y_te = torch.from_numpy(y[tr])[:, None], torch.from_numpy(y[te])[:, None]
    dl = DataLoader(TensorDataset(x_tr, y_tr), batch_size=32, shuffle=True)

    model = nn.Sequential(nn.Linear(30, 8), nn.Tanh(), nn.Linear(8, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.5)
    sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
    bce = nn.BCEWithLogitsLoss()

    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for xb, yb in dl:
            opt.zero_grad()
            loss = bce(model(xb), yb)
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        sch.step()
        if (epoch + 1) % 10 == 0:
            print(f"fold {fold} epoch {epoch + 1} loss {total / len(x_tr):.4f}")

    model.eval()
    with torch.no_grad():
        logit = model(x_te)
        held_loss = bce(logit, y_te).item()
    acc = ((logit > 0).float() == y_te).float().mean().item()      # logit 0 is probability one half
    auc = roc_auc_score(y_te.numpy().ravel(), logit.numpy().ravel())
    scores.append(acc)
    aucs.append(auc)
    print(f"fold {fold}: held-out loss {held_loss:.4f} acc {acc:.3f} auc {auc:.3f}")

print(f"CV accuracy {np.mean(scores):.3f} +- {np.std(scores):.3f}, AUC {np.mean(aucs):.3f}")
