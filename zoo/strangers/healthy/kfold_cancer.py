"""Five-fold cross-validation; every fold has its own scaler, network and optimizer."""
import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler

X, y = load_breast_cancer(return_X_y=True)
accs, aucs = [], []
for fold, (tr, te) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)):
    torch.manual_seed(1000 + fold)
    prep = make_pipeline(PowerTransformer(), StandardScaler())
    x_tr = torch.from_numpy(prep.fit_transform(X[tr])).float()
    x_te = torch.from_numpy(prep.transform(X[te])).float()
    y_tr = torch.from_numpy(y[tr]).float()

    net = torch.nn.Sequential(
        torch.nn.Linear(30, 16), torch.nn.ReLU(), torch.nn.Dropout(0.3), torch.nn.Linear(16, 1), torch.nn.Flatten(0)
    )
    opt = torch.optim.AdamW(net.parameters(), lr=5e-3, weight_decay=0.05)
    for epoch in range(15):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(tr)).split(32):
            opt.zero_grad()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x_tr[idx]), y_tr[idx])
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if epoch in (0, 4, 14):
            print(f"fold {fold} epoch {epoch:2d} loss {total / len(tr):.4f}")

    net.eval()
    with torch.no_grad():
        p = net(x_te).sigmoid().numpy()
    accs.append(((p > 0.5) == y[te]).mean())
    aucs.append(roc_auc_score(y[te], p))

print("accuracy %.3f +- %.3f" % (np.mean(accs), np.std(accs)))
print("AUC      %.4f +- %.4f" % (np.mean(aucs), np.std(aucs)))
