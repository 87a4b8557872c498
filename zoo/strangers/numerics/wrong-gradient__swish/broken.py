"""Friedman #1 regression, memory-lean swish written as an autograd Function."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SEED = 17
torch.manual_seed(SEED)


class _Swish(torch.autograd.Function):
    # keeps only x; the sigmoid is computed again in backward
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_out * (s + x * (1 - s))


class Swish(nn.Module):
    def forward(self, x):
        return _Swish.apply(x)


def mlp(sizes):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(Swish())
    return nn.Sequential(*layers)


def batches(x, y, size, gen):
    order = torch.randperm(len(x), generator=gen)
    for k in range(0, len(x), size):
        pick = order[k:k + size]
        yield x[pick], y[pick]


def load():
    x, y = make_friedman1(n_samples=4000, n_features=10, noise=0.5, random_state=SEED)
    x_fit, x_test, y_fit, y_test = train_test_split(x, y, test_size=0.2, random_state=SEED)
    x_train, x_val, y_train, y_val = train_test_split(x_fit, y_fit, test_size=0.2, random_state=SEED)
    sx = StandardScaler().fit(x_train)
    sy = StandardScaler().fit(y_train[:, None])

    def pack(a, b):
        return (torch.tensor(sx.transform(a), dtype=torch.float32),
                torch.tensor(sy.transform(b[:, None]), dtype=torch.float32))

    return pack(x_train, y_train), pack(x_val, y_val), pack(x_test, y_test), sy


def main():
    (x_train, y_train), (x_val, y_val), (x_test, y_test), sy = load()
    net = mlp([10, 48, 48, 48, 1])
    loss_fn = nn.MSELoss()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-5)
    epochs = 40
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    gen = torch.Generator().manual_seed(SEED)

    for epoch in range(1, epochs + 1):
        net.train()
        acc = 0.0
        for xb, yb in batches(x_train, y_train, 64, gen):
            opt.zero_grad()
            loss = loss_fn(net(xb), yb)
            loss.backward()
            opt.step()
            acc += loss.item() * len(xb)
        sched.step()
        if epoch % 5 == 0 or epoch == 1:
            net.eval()
            with torch.no_grad():
                v = loss_fn(net(x_val), y_val).item()
            print("epoch %3d   train %.4f   val %.4f" % (epoch, acc / len(x_train), v))

    net.eval()
    with torch.no_grad():
        pred = sy.inverse_transform(net(x_test).numpy())
    truth = sy.inverse_transform(y_test.numpy())
    print("test R2 %.4f   RMSE %.4f" % (r2_score(truth, pred), float(np.sqrt(np.mean((truth - pred) ** 2)))))


if __name__ == "__main__":
    main()
