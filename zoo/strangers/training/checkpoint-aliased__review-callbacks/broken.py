"""Sentiment of short product reviews (bag of words) with a callback-driven trainer."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Callback:
    def on_fit_start(self, trainer): ...
    def on_epoch_end(self, trainer, logs): ...
    def on_fit_end(self, trainer): ...


class History(Callback):
    def __init__(self):
        self.rows = []

    def on_epoch_end(self, trainer, logs):
        self.rows.append(dict(logs))
        if trainer.epoch % 5 == 0:
            print("epoch {:3d}  train_loss {train_loss:.4f}  val_loss {val_loss:.4f}  val_acc {val_acc:.4f}".format(
                trainer.epoch, **logs))


class KeepBest(Callback):
    """Stop when the monitored value stalls and hand back the best weights."""

    def __init__(self, monitor="val_loss", patience=12):
        self.monitor, self.patience = monitor, patience
        self.best, self.weights, self.wait = float("inf"), None, 0

    def snapshot(self, module):
        return {name: t.detach().cpu() for name, t in module.state_dict().items()}

    def on_epoch_end(self, trainer, logs):
        if logs[self.monitor] < self.best:
            self.best, self.wait = logs[self.monitor], 0
            self.weights = self.snapshot(trainer.model)
        else:
            self.wait += 1
            trainer.stop = self.wait >= self.patience

    def on_fit_end(self, trainer):
        trainer.model.load_state_dict(self.weights)
        print(f"restored weights with {self.monitor} {self.best:.4f}")


class Trainer:
    def __init__(self, model, optimizer, callbacks):
        self.model, self.optimizer, self.callbacks = model, optimizer, callbacks
        self.loss = nn.CrossEntropyLoss()
        self.stop, self.epoch = False, 0

    def _call(self, hook, *args):
        for cb in self.callbacks:
            getattr(cb, hook)(self, *args)

    def fit(self, train, val, max_epochs):
        self._call("on_fit_start")
        for self.epoch in range(1, max_epochs + 1):
            self.model.train()
            seen = 0.0
            for x, y in train:
                self.optimizer.zero_grad()
                loss = self.loss(self.model(x), y)
                loss.backward()
                self.optimizer.step()
                seen += loss.item() * len(y)
            val_loss, val_acc = self.evaluate(val)
            self._call("on_epoch_end", dict(train_loss=seen / len(train.dataset), val_loss=val_loss, val_acc=val_acc))
            if self.stop:
                break
        self._call("on_fit_end")

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        loss = hits = n = 0
        for x, y in loader:
            out = self.model(x)
            loss += self.loss(out, y).item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
        return loss / n, hits / n


def reviews(n, rng, polarity, flip):
    words = polarity.shape[0]
    x = rng.poisson(0.15, size=(n, words)).astype(np.float32)
    y = (x @ polarity + 0.3 * rng.normal(size=n) > 0).astype(np.int64)
    wrong = rng.random(n) < flip
    y[wrong] = 1 - y[wrong]
    return torch.from_numpy((x - 0.15) / 0.15 ** 0.5), torch.from_numpy(y)


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    torch.manual_seed(5)
    polarity = rng.normal(size=60) * (rng.random(60) < 0.5)
    train = DataLoader(TensorDataset(*reviews(2000, rng, polarity, 0.15)), batch_size=32, shuffle=True)
    val = DataLoader(TensorDataset(*reviews(1000, rng, polarity, 0.15)), batch_size=256)
    test = DataLoader(TensorDataset(*reviews(3000, rng, polarity, 0.0)), batch_size=256)

    net = nn.Sequential(nn.Linear(60, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 2))
    trainer = Trainer(net, torch.optim.Adam(net.parameters(), lr=5e-4), [History(), KeepBest()])
    trainer.fit(train, val, max_epochs=60)
    print("val  loss {:.4f} acc {:.4f}".format(*trainer.evaluate(val)))
    print("test loss {:.4f} acc {:.4f}".format(*trainer.evaluate(test)))
