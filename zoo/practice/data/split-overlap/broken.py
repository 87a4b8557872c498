import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

torch.manual_seed(1)
np.random.seed(1)
X, y = make_classification(n_samples=1200, n_features=20, n_informative=6, weights=[0.93], flip_y=0.06,
                           class_sep=0.7, random_state=1)
X = X.astype(np.float32)


def balance(X, y):
    """Repeat the minority class until both are equally frequent."""
    pos, neg = np.where(y == 1)[0], np.where(y == 0)[0]
    idx = np.concatenate([neg, np.random.choice(pos, len(neg))])
    np.random.shuffle(idx)
    return X[idx], y[idx]


X, y = balance(X, y)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=1, stratify=y)

net = nn.Sequential(nn.Linear(20, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 2))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
xt, yt = torch.from_numpy(X_train), torch.from_numpy(y_train)
for epoch in range(15):
    order = torch.randperm(len(xt))
    for chunk in torch.split(order, 64):
        opt.zero_grad()
        loss = F.cross_entropy(net(xt[chunk]), yt[chunk])
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        print("epoch", epoch + 1, "loss", f"{loss.item():.4f}")

net.eval()
with torch.no_grad():
    guess = net(torch.from_numpy(X_test)).argmax(1).numpy()
recall = [(guess[y_test == c] == c).mean() for c in (0, 1)]
known = {row.tobytes() for row in X_train}
print(f"balanced accuracy {np.mean(recall):.3f}")
print(f"rows seen before {np.mean([row.tobytes() in known for row in X_test]):.3f}")
