"""A small Keras-flavoured wrapper (compile / fit / callbacks) around a plain PyTorch module.

Task: the Friedman #1 regression benchmark, with early stopping on a validation split.
"""
import copy

import numpy as np
import torch
from sklearn.datasets import make_friedman1
from torch import nn


class Callback:
    def on_train_begin(self, model): ...
    def on_epoch_end(self, epoch, logs, model): ...
    def on_train_end(self, model): ...


class EarlyStopping(Callback):
    def __init__(self, monitor="val_loss", patience=12, min_delta=1e-4):
        self.monitor, self.patience, self.min_delta = monitor, patience, min_delta

    def on_train_begin(self, model):
        self.best, self.wait, self.weights = np.inf, 0, None

    def on_epoch_end(self, epoch, logs, model):
        if logs[self.monitor] < self.best - self.min_delta:
            self.best, self.wait = logs[self.monitor], 0
            self.weights = copy.deepcopy(model.net.state_dict())
        else:
            self.wait += 1
            model.stop_training = self.wait >= self.patience

    def on_train_end(self, model):
        model.net.load_state_dict(self.weights)


class ReduceLROnPlateau(Callback):
    def __init__(self, factor=0.5, patience=5):
        self.kw = dict(factor=factor, patience=patience)

    def on_train_begin(self, model):
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(model.optimizer, **self.kw)

    def on_epoch_end(self, epoch, logs, model):
        self.scheduler.step(logs["val_loss"])


class History(Callback):
    def on_train_begin(self, model):
        self.records = []

    def on_epoch_end(self, epoch, logs, model):
        self.records.append(logs)
        if epoch % 10 == 0:
            print(f"Epoch {epoch:3d}: " + " - ".join(f"{k}: {v:.4f}" for k, v in logs.items()))


class Model:
    def __init__(self, net):
        self.net = net
        self.stop_training = False

    def compile(self, optimizer, loss):
        self.optimizer, self.loss = optimizer, loss
        return self

    def train_step(self, x, y):
        self.optimizer.zero_grad()
        value = self.loss(self.net(x), y)
        value.backward()
        self.optimizer.step()
        return value.item()

    def fit(self, x, y, validation_data, epochs, batch_size, callbacks):
        for cb in callbacks:
            cb.on_train_begin(self)
        for epoch in range(epochs):
            self.net.train()
            running = 0.0
            for idx in torch.randperm(len(x)).split(batch_size):
                running += self.train_step(x[idx], y[idx]) * len(idx)
            logs = {"loss": running / len(x), "val_loss": self.evaluate(*validation_data)}
            for cb in callbacks:
                cb.on_epoch_end(epoch, logs, self)
            if self.stop_training:
                break
        for cb in callbacks:
            cb.on_train_end(self)

    def predict(self, x):
        self.net.eval()
        with torch.inference_mode():
            return self.net(x)

    def evaluate(self, x, y):
        return self.loss(self.predict(x), y).item()


def prepare(n=1600, seed=17):
    x, y = make_friedman1(n_samples=n, n_features=10, noise=0.8, random_state=seed)
    bounds = [int(0.7 * n), int(0.85 * n)]
    x_parts, y_parts = np.split(x, bounds), np.split(y.reshape(-1, 1), bounds)
    stats = [(a.mean(axis=0), a.std(axis=0)) for a in (x_parts[0], y_parts[0])]
    scaled = [[(p - m) / s for p in parts] for parts, (m, s) in zip((x_parts, y_parts), stats)]
    as_tensor = lambda a: torch.tensor(a, dtype=torch.float32)
    return [tuple(map(as_tensor, pair)) for pair in zip(*scaled)]


if __name__ == "__main__":
    torch.manual_seed(17)
    train, val, test = prepare()
    net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.05), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    model = Model(net).compile(torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4), nn.MSELoss())
    model.fit(*train, validation_data=val, epochs=100, batch_size=64,
              callbacks=[EarlyStopping(), ReduceLROnPlateau(), History()])
    mse = model.evaluate(*test)
    print(f"test R2: {1 - mse / test[1].var(unbiased=False).item():.3f}")
