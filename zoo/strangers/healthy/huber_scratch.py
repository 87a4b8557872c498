"""
12.x  Robust regression from scratch
====================================
In this section we use nothing from `torch.nn` and nothing from `torch.optim`: the parameters are plain
tensors, the optimizer is a function, and the Huber loss is three lines. Everything before the first weight
is NumPy.
"""
import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.metrics import mean_absolute_error, r2_score

# 12.x.1 -- data: Friedman's function, with a tail of wild measurements in the training labels
rng = np.random.default_rng(31)
torch.manual_seed(31)
X, y_clean = make_friedman1(n_samples=14000, n_features=10, noise=0.0, random_state=31)
y = y_clean + rng.standard_t(df=2, size=len(y_clean))
order = rng.permutation(len(X))
train, valid, test = order[:10000], order[10000:12000], order[12000:]

x_mean, x_std = X[train].mean(0), X[train].std(0)
y_mid = np.median(y[train])
y_iqr = np.subtract(*np.percentile(y[train], [75, 25]))          # robust: outliers do not set the scale
X = (X - x_mean) / x_std
Z = (y - y_mid) / y_iqr
X, Z = torch.tensor(X, dtype=torch.float32), torch.tensor(Z, dtype=torch.float32)


def data_iter(indices, batch_size):
    for i in np.array_split(rng.permutation(indices), len(indices) // batch_size):
        i = torch.from_numpy(i)
        yield X[i], Z[i]


# 12.x.2 -- model
def he(n_in, n_out):
    return (torch.randn(n_in, n_out) * (2 / n_in) ** 0.5).requires_grad_()


W1, b1 = he(10, 48), torch.zeros(48, requires_grad=True)
W2, b2 = he(48, 24), torch.zeros(24, requires_grad=True)
W3, b3 = he(24, 1), torch.zeros(1, requires_grad=True)
params = [W1, b1, W2, b2, W3, b3]


def net(x):
    h = torch.clamp(x @ W1 + b1, min=0)
    h = torch.clamp(h @ W2 + b2, min=0)
    return (h @ W3 + b3).reshape(-1)


# 12.x.3 -- loss
def huber(pred, target, delta=0.25):
    r = (pred - target).abs()
    return torch.where(r < delta, 0.5 * r ** 2, delta * (r - 0.5 * delta)).mean()


# 12.x.4 -- optimizer: momentum SGD
velocity = [torch.zeros_like(p) for p in params]


def sgd(lr, momentum=0.9):
    with torch.no_grad():
        for p, v in zip(params, velocity):
            v.mul_(momentum).add_(p.grad)
            p -= lr * v
            p.grad.zero_()


# 12.x.5 -- training
num_epochs, lr0 = 24, 0.1
for epoch in range(num_epochs):
    lr = lr0 * (1 - 0.95 * epoch / (num_epochs - 1))
    total = 0.0
    for xb, zb in data_iter(train, 128):
        loss = huber(net(xb), zb)
        loss.backward()
        sgd(lr)
        total += loss.item() * len(zb)
    if epoch % 3 == 2 or epoch == 0:
        with torch.no_grad():
            v = huber(net(X[valid]), Z[valid]).item()
        print(f"epoch {epoch + 1:3d}, lr {lr:.4f}, train huber {total / len(train):.4f}, valid huber {v:.4f}")

# 12.x.6 -- evaluation in the units of y; the noise-free function is known here, so we can look past the tail too
with torch.no_grad():
    pred = net(X[test]).numpy() * y_iqr + y_mid
print(f"test MAE {mean_absolute_error(y[test], pred):.3f} against noisy labels")
print(f"test R2  {r2_score(y_clean[test], pred):.4f} against the noise-free function")
