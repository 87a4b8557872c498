# 5-fold cross validation, breast cancer, small MLP
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

SEED = 42
N_FOLDS = 5
EPOCHS = 30


def build_model(n_features):
    return nn.Sequential(
        nn.Linear(n_features, 16),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(16, 1),
    )


def train_one_fold(fold, X_trn, y_trn, X_val, y_val):
    torch.manual_seed(SEED + fold)

    scaler = StandardScaler()
    X_trn = torch.tensor(scaler.fit_transform(X_trn), dtype=torch.float)
    X_val = torch.tensor(scaler.transform(X_val), dtype=torch.float)
    y_trn = torch.tensor(y_trn, dtype=torch.float).view(-1, 1)

    model = build_model(X_trn.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.05)
    criterion = nn.BCEWithLogitsLoss()

    for epoch in range(EPOCHS):
        model.train()
        perm = torch.randperm(len(X_trn))
        trn_loss = 0.0
        for idx in perm.split(32):
            optimizer.zero_grad()
            loss = criterion(model(X_trn[idx]), y_trn[idx])
            loss.backward()
            optimizer.step()
            trn_loss += loss.item() * len(idx)
        if (epoch + 1) % 10 == 0:
            print(f"fold {fold} epoch {epoch + 1} loss {trn_loss / len(perm):.4f}")

    model.eval()
    with torch.no_grad():
        return torch.sigmoid(model(X_val)).squeeze(1).numpy()


if __name__ == "__main__":
    X, y = load_breast_cancer(return_X_y=True)
    oof = np.zeros(len(y))
    scores = []

    skf = StratifiedKFold(n_splits=N_FOLDS, shuffle=True, random_state=SEED)
    for fold, (trn_idx, val_idx) in enumerate(skf.split(X, y)):
        oof[val_idx] = train_one_fold(fold, X[trn_idx], y[trn_idx], X[val_idx], y[val_idx])
        acc = np.mean((oof[val_idx] > 0.5) == y[val_idx])
        scores.append(acc)
        print(f"=== fold {fold}: accuracy {acc:.4f}  auc {roc_auc_score(y[val_idx], oof[val_idx]):.4f}")

    print(f"CV accuracy {np.mean(scores):.4f} +/- {np.std(scores):.4f}")
    print(f"OOF auc {roc_auc_score(y, oof):.4f}")
