"""Softmax regression on the breast cancer data, full batch, L-BFGS, weights start at zero (the problem is convex)."""
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
X, y = load_breast_cancer(return_X_y=True)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
mean, std = Xtr.mean(0), Xtr.std(0)
as_x = lambda a: torch.tensor((a - mean) / std, dtype=torch.float64)
Xtr, Xte = as_x(Xtr), as_x(Xte)
ytr, yte = torch.tensor(ytr), torch.tensor(yte)

W = torch.zeros(30, 2, dtype=torch.float64, requires_grad=True)
b = torch.zeros(2, dtype=torch.float64, requires_grad=True)
optimizer = torch.optim.LBFGS([W, b], lr=1.0, max_iter=10, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(Xtr @ W + b, ytr) + 0.005 * W.square().sum()
    loss.backward()
    return loss


for k in range(12):
    loss = optimizer.step(closure)
    print(f"round {k:2d}  objective {loss.item():.6f}")

with torch.no_grad():
    acc = ((Xte @ W + b).argmax(1) == yte).double().mean().item()
print(f"test accuracy {acc:.4f}")
