import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn


class Callback:
    def on_epoch_end(self, trainer, logs): ...
    def on_train_end(self, trainer): ...


class KeepBest(Callback):
    """Stops after `patience` epochs without progress and puts the best weights back."""

    def __init__(self, monitor="val_loss", patience=40):
        self.monitor, self.patience = monitor, patience
        self.best, self.best_epoch, self.weights = float("inf"), -1, None

    def on_epoch_end(self, trainer, logs):
        if logs[self.monitor] < self.best - 1e-4:
            self.best, self.best_epoch = logs[self.monitor], logs["epoch"]
            self.weights = {k: v.cpu() for k, v in trainer.net.state_dict().items()}
        elif logs["epoch"] - self.best_epoch >= self.patience:
            trainer.stop = True

    def on_train_end(self, trainer):
        trainer.net.load_state_dict(self.weights)
        print(f"restored epoch {self.best_epoch} ({self.monitor} {self.best:.4f})")


class EpochPrinter(Callback):
    def __init__(self, every=5):
        self.every = every

    def on_epoch_end(self, trainer, logs):
        if logs["epoch"] % self.every == 0:
            print(" | ".join(f"{k} {v:.4f}" if isinstance(v, float) else f"{k} {v}" for k, v in logs.items()))


class Trainer:
    def __init__(self, net, lr, callbacks, device="cpu"):
        self.net = net.to(device)
        self.device = device
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.crit = nn.CrossEntropyLoss()
        self.callbacks = callbacks
        self.stop = False

    def _epoch(self, x, y, bs):
        self.net.train()
        tot = 0.0
        for idx in torch.randperm(len(x)).split(bs):
            xb, yb = x[idx].to(self.device), y[idx].to(self.device)
            self.opt.zero_grad()
            loss = self.crit(self.net(xb), yb)
            loss.backward()
            self.opt.step()
            tot += loss.item() * len(idx)
        return tot / len(x)

    @torch.no_grad()
    def evaluate(self, x, y):
        self.net.eval()
        out = self.net(x.to(self.device)).cpu()
        return self.crit(out, y).item(), (out.argmax(1) == y).float().mean().item()

    def fit(self, train, val, epochs=200, bs=32):
        for epoch in range(epochs):
            logs = {"epoch": epoch, "loss": self._epoch(*train, bs)}
            logs["val_loss"], logs["val_acc"] = self.evaluate(*val)
            for cb in self.callbacks:
                cb.on_epoch_end(self, logs)
            if self.stop:
                break
        for cb in self.callbacks:
            cb.on_train_end(self)


def load():
    # annotators disagree on a good part of the tickets, hence flip_y
    x, y = make_classification(3600, 30, n_informative=10, n_redundant=4, n_classes=3,
                               n_clusters_per_class=1, flip_y=0.25, class_sep=1.1, random_state=4)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, train_size=600, stratify=y, random_state=1)
    x_va, x_te, y_va, y_te = train_test_split(x_te, y_te, train_size=1000, stratify=y_te, random_state=1)
    sc = StandardScaler().fit(x_tr)
    pack = lambda a, b: (torch.tensor(sc.transform(a), dtype=torch.float32), torch.tensor(b))
    return pack(x_tr, y_tr), pack(x_va, y_va), pack(x_te, y_te)


if __name__ == "__main__":
    torch.manual_seed(2)
    np.random.seed(2)
    train, val, test = load()
    net = nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 3))
    trainer = Trainer(net, 5e-4, [EpochPrinter(), KeepBest()])
    trainer.fit(train, val)
    print("val   loss %.4f acc %.4f" % trainer.evaluate(*val))
    print("test  loss %.4f acc %.4f" % trainer.evaluate(*test))
