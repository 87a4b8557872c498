import numpy as np
import torch
import torch.nn as nn
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
skf = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
scores = []
for fold, (tr, va) in enumerate(skf.split(X, y)):
    scaler = StandardScaler().fit(X[tr])
    Xtr = torch.tensor(scaler.transform(X[tr]), dtype=torch.float32)
    Xva = torch.tensor(scaler.transform(X[va]), dtype=torch.float32)
    ytr, yva = torch.tensor(y[tr]), torch.tensor(y[va])
    loader = DataLoader(TensorDataset(Xtr, ytr), batch_size=32, shuffle=True)

    model = nn.Sequential(nn.Linear(X.shape[1], 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(50):
        model.train()
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()
            optimizer.step()

    model.eval()
    with torch.no_grad():
        acc = (model(Xva).argmax(1) == yva).float().mean().item()
    scores.append(acc)
    print(f'fold {fold}: {acc:.3f}')
print(np.mean(scores), np.std(scores))
