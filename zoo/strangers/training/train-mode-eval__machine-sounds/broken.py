"""Fault detection on pump vibration snippets: small 1-D conv net, Trainer with callbacks."""
import numpy as np
import torch
import torch.nn as nn

FAULTS = ["healthy", "imbalance", "bearing", "cavitation", "looseness"]


def snippet(rng, fault, n=128):
    t = np.arange(n) / n
    f0 = rng.uniform(5, 7)
    gain = rng.uniform(0.6, 1.6)
    x = np.sin(2 * np.pi * (f0 * t + rng.uniform()))
    if fault == 1:
        x = 2.2 * x
    elif fault == 2:
        comb = (np.sin(2 * np.pi * (3.6 * f0 * t + rng.uniform())) > 0.93).astype(float)
        x = x + 1.8 * comb
    elif fault == 3:
        x = x + rng.normal(0, 0.9, n)
    elif fault == 4:
        x = x + 0.8 * np.sin(2 * np.pi * (0.5 * f0 * t + rng.uniform()))
    return gain * (x + rng.normal(0, 0.3, n))


def make_split(per_class, seed):
    rng = np.random.default_rng(seed)
    x = np.stack([snippet(rng, k) for k in range(len(FAULTS)) for _ in range(per_class)])
    y = np.repeat(np.arange(len(FAULTS)), per_class)
    return torch.tensor(x, dtype=torch.float32).unsqueeze(1), torch.tensor(y)


def conv_block(cin, cout):
    return nn.Sequential(nn.Conv1d(cin, cout, 7, stride=2, padding=3, bias=False), nn.BatchNorm1d(cout), nn.ReLU())


class VibrationNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.features = nn.Sequential(conv_block(1, 16), conv_block(16, 32), conv_block(32, 32))
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(64, n_classes))

    def forward(self, x):
        h = self.features(x)
        return self.head(torch.cat([h.mean(2), h.amax(2)], dim=1))


class Callback:
    def on_epoch_end(self, trainer, epoch, logs):
        pass


class Printer(Callback):
    def on_epoch_end(self, trainer, epoch, logs):
        print(" ".join([f"epoch {epoch:02d}"] + [f"{k}={v:.4f}" for k, v in logs.items()]))


class LrDecay(Callback):
    def __init__(self, optimizer, epochs):
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)

    def on_epoch_end(self, trainer, epoch, logs):
        self.schedule.step()


class Trainer:
    def __init__(self, model, optimizer, loss_fn, callbacks=()):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.callbacks = list(callbacks)

    def fit(self, train, val, epochs, batch_size):
        x, y = train
        for epoch in range(1, epochs + 1):
            self.model.train()
            total = 0.0
            for idx in torch.randperm(len(x)).split(batch_size):
                total += self.training_step(x[idx], y[idx]) * len(idx)
            logs = {"loss": total / len(x), **self.evaluate(*val)}
            for cb in self.callbacks:
                cb.on_epoch_end(self, epoch, logs)
        return logs

    def training_step(self, xb, yb):
        self.optimizer.zero_grad()
        loss = self.loss_fn(self.model(xb), yb)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def evaluate(self, x, y, batch_size=50):
        logits = torch.cat([self.model(xb) for xb in x.split(batch_size)])
        return {"val_loss": self.loss_fn(logits, y).item(), "val_acc": (logits.argmax(1) == y).float().mean().item()}


def main():
    torch.manual_seed(11)
    train, val, test = make_split(400, seed=1), make_split(100, seed=2), make_split(150, seed=3)
    mu, sd = train[0].mean(), train[0].std()
    train, val, test = (((x - mu) / sd, y) for x, y in (train, val, test))

    model = VibrationNet(len(FAULTS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
    epochs = 12
    trainer = Trainer(model, optimizer, nn.CrossEntropyLoss(), [LrDecay(optimizer, epochs), Printer()])
    trainer.fit(train, val, epochs=epochs, batch_size=64)
    result = trainer.evaluate(*test)
    print(f"test accuracy {result['val_acc']:.4f}  test loss {result['val_loss']:.4f}")


if __name__ == "__main__":
    main()
