"""Classify waveforms (sine, square, triangle, pulse) from 32 samples with a deep tanh network."""

import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(4)


def waveform(kind, n):
    t = np.arange(32) / 32
    phase = rng.uniform(0, 1, (n, 1))
    cycles = rng.uniform(1.5, 2.5, (n, 1))
    u = (cycles * t + phase) % 1.0
    if kind == 0:
        w = np.sin(2 * np.pi * u)
    elif kind == 1:
        w = np.where(u < 0.5, 1.0, -1.0)
    elif kind == 2:
        w = 4 * np.abs(u - 0.5) - 1
    else:
        w = np.where(u < 0.15, 1.0, 0.0)
    w = (w - w.mean(1, keepdims=True)) / w.std(1, keepdims=True)
    return w + 0.1 * rng.standard_normal((n, 32))


def make_set(n_per_class):
    x = np.concatenate([waveform(k, n_per_class) for k in range(4)])
    y = np.repeat(np.arange(4), n_per_class)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, std=0.01)
        nn.init.zeros_(m.bias)


class Trainer:
    def __init__(self, network, lr, batch_size):
        self.network = network
        self.batch_size = batch_size
        self.optim = torch.optim.SGD(network.parameters(), lr=lr, momentum=0.9)
        self.objective = nn.CrossEntropyLoss()

    def fit(self, x, y, epochs):
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.optim, T_max=epochs)
        for epoch in range(epochs):
            self.network.train()
            mean_loss = 0.0
            for idx in torch.randperm(len(x)).split(self.batch_size):
                self.optim.zero_grad()
                loss = self.objective(self.network(x[idx]), y[idx])
                loss.backward()
                self.optim.step()
                mean_loss += loss.item() * len(idx) / len(x)
            sched.step()
            if (epoch + 1) % 5 == 0:
                print(f"epoch {epoch + 1}: loss {mean_loss:.4f}")

    @torch.no_grad()
    def score(self, x, y):
        self.network.eval()
        return (self.network(x).argmax(-1) == y).float().mean().item()


def main():
    torch.manual_seed(4)
    x_train, y_train = make_set(1000)
    x_test, y_test = make_set(300)

    widths = [32, 64, 64, 64, 64, 64]
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    network = nn.Sequential(*layers, nn.Linear(widths[-1], 4))
    network.apply(init_weights)

    trainer = Trainer(network, lr=0.03, batch_size=64)
    trainer.fit(x_train, y_train, epochs=20)
    print(f"Test accuracy: {trainer.score(x_test, y_test):.3f}")


if __name__ == "__main__":
    main()
