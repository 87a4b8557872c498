# Credit card fraud - baseline NN
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, recall_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def seed_everything(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


seed_everything(99)

# ---- data: V1..V8, target = 1 if fraud
N = 16000
y = (np.random.rand(N) < 0.03).astype(int)
X = np.random.randn(N, 8)
X[y == 1, :4] += np.array([1.6, -1.2, 1.0, 0.8])   # frauds differ in a few of the columns
X[:, 4] += 0.5 * X[:, 0]
X[:, 5] = np.exp(0.5 * X[:, 5])
print("transactions:", len(y), "frauds:", int(y.sum()))

X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y, random_state=99)
X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=0.2, stratify=y_tr, random_state=99)

ss = StandardScaler().fit(X_tr)
X_tr, X_va, X_te = [torch.tensor(ss.transform(a), dtype=torch.float32) for a in (X_tr, X_va, X_te)]
y_tr, y_va, y_te = [torch.tensor(a, dtype=torch.float32) for a in (y_tr, y_va, y_te)]

train_loader = DataLoader(TensorDataset(X_tr, y_tr), batch_size=200, shuffle=True)

# ---- model
net = nn.Sequential(
    nn.Linear(8, 16),
    nn.ReLU(),
    nn.Linear(16, 1),
)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=1e-3)


def predict(X):
    net.eval()
    with torch.no_grad():
        p = torch.sigmoid(net(X)).squeeze(1)
    return (p > 0.5).int().numpy()


# ---- train
for epoch in range(15):
    net.train()
    running, seen = 0.0, 0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(net(xb).squeeze(1), yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(yb)
        seen += len(yb)
    if epoch % 3 == 2:
        bal = balanced_accuracy_score(y_va.numpy(), predict(X_va))
        print(f"epoch {epoch + 1:02d} | loss {running / seen:.4f} | val balanced acc {bal:.3f}")

# ---- test
pred = predict(X_te)
truth = y_te.numpy()
print("accuracy         ", round(float((pred == truth).mean()), 4))
print("fraud recall     ", round(recall_score(truth, pred), 4))
print("balanced accuracy", round(balanced_accuracy_score(truth, pred), 4))
print(confusion_matrix(truth, pred))
