"""Two interleaved half moons, a network and its updates written with bare tensors."""

import numpy as np
import torch
from sklearn.datasets import make_moons

torch.manual_seed(19)

points, moon = make_moons(n_samples=1400, noise=0.2, random_state=19)
x = torch.tensor(points, dtype=torch.float32)
y = torch.tensor(moon, dtype=torch.float32)
x_train, y_train = x[:1000], y[:1000]
x_test, y_test = x[1000:], y[1000:]
mu, sigma = x_train.mean(0), x_train.std(0)
x_train = (x_train - mu) / sigma
x_test = (x_test - mu) / sigma


def dense(n_in, n_out, gain):
    w = torch.randn(n_in, n_out) * gain / np.sqrt(n_in)
    b = torch.zeros(n_out)
    return w.requires_grad_(), b.requires_grad_()


w1, b1 = dense(2, 32, 1.0)
w2, b2 = dense(32, 32, 1.0)
w3, b3 = dense(32, 1, 0.3)
params = [w1, b1, w2, b2, w3, b3]
velocity = [torch.zeros_like(p) for p in params]


def forward(inputs):
    h = torch.tanh(inputs @ w1 + b1)
    h = torch.tanh(h @ w2 + b2)
    return (h @ w3 + b3).squeeze(1)


def bce(logits, targets):
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, targets)


lr, momentum, batch_size, epochs = 0.03, 0.9, 50, 40
for epoch in range(epochs):
    perm = torch.randperm(len(x_train))
    running = 0.0
    for k in range(0, len(x_train), batch_size):
        rows = perm[k : k + batch_size]
        loss = bce(forward(x_train[rows]), y_train[rows])
        loss.backward()
        with torch.no_grad():
            for p, v in zip(params, velocity):
                v.mul_(momentum).add_(p.grad)
                p -= lr * v
                p.grad.zero_()
        running += loss.item() * len(rows)
    if (epoch + 1) % 5 == 0:
        with torch.no_grad():
            held_out = bce(forward(x_test), y_test).item()
        print(f"epoch {epoch + 1:2d} train {running / len(x_train):.4f} held-out {held_out:.4f}")

with torch.no_grad():
    predicted = (forward(x_test) > 0).float()
print(f"test accuracy {(predicted == y_test).float().mean().item():.3f}")
