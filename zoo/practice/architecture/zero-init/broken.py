import torch
from sklearn.datasets import load_iris

torch.manual_seed(1)
data = load_iris()
order = torch.randperm(150)
X = torch.tensor(data.data).float()[order]
y = torch.tensor(data.target)[order]
X = (X - X[:110].mean(0)) / X[:110].std(0)
Y = torch.nn.functional.one_hot(y, 3).float()

n_hidden = 10
w1 = torch.zeros(4, n_hidden, requires_grad=True)
b1 = torch.zeros(n_hidden, requires_grad=True)
w2 = torch.zeros(n_hidden, 3, requires_grad=True)
b2 = torch.zeros(3, requires_grad=True)


def model(x):
    return torch.relu(x @ w1 + b1) @ w2 + b2


for it in range(400):
    out = model(X[:110])
    loss = -(Y[:110] * torch.log_softmax(out, 1)).sum(1).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w1, b1, w2, b2):
            p -= 0.3 * p.grad
            p.grad.zero_()
    if it % 100 == 0:
        print(it, loss.item())

with torch.no_grad():
    print(f"acc {(model(X[110:]).argmax(1) == y[110:]).float().mean().item():.3f}")
