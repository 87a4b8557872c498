import torch
import torch.nn.functional as F
from sklearn.datasets import make_classification
from torch import nn

torch.manual_seed(18)
X, Y = make_classification(3000, 20, n_informative=10, n_classes=5, n_clusters_per_class=2, class_sep=1.6, random_state=18)
X, Y = torch.tensor(X, dtype=torch.float32), torch.tensor(Y)
X = (X - X[:2400].mean(0)) / X[:2400].std(0)
tr, te = slice(0, 2400), slice(2400, 3000)


def mlp(h):
    return nn.Sequential(nn.Linear(20, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 5))


def fit(net, objective, epochs, lr):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for e in range(epochs):
        for i in torch.randperm(2400).split(80):
            loss = objective(net, X[tr][i], Y[tr][i])
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(f"last loss {loss.item():.4f}")
    return net.eval()


def accuracy(net):
    with torch.no_grad():
        return (net(X[te]).argmax(1) == Y[te]).float().mean().item()


teacher = fit(mlp(128), lambda n, x, y: F.cross_entropy(n(x), y), 8, 2e-3).requires_grad_(False)
print(f"teacher {accuracy(teacher):.3f}")
T = 4.0


def distill(net, x, y):
    with torch.no_grad():
        soft = F.log_softmax(teacher(x) / T, -1)
    return T * T * F.kl_div(F.log_softmax(net(x) / T, -1), soft, reduction="batchmean", log_target=True)


student = fit(mlp(24), distill, 15, 4e-3)
print(f"student accuracy {accuracy(student):.3f}")
