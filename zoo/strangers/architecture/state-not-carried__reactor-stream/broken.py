"""Estimate the operating mode of a batch reactor from its sensor stream.

The operator's command pulse (open / hold / purge) is short; the mode stays until the next pulse.
Streams are long, so they are processed in chunks of CHUNK samples.
"""
import numpy as np
import torch
from torch import nn

CHUNK = 25
STEPS = 200
MODES = 3


def make_streams(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 0.3, (n, STEPS, MODES + 1)).astype(np.float32)
    y = np.zeros((n, STEPS), dtype=np.int64)
    for i in range(n):
        mode, t = 0, 0
        while t < STEPS:
            mode = int(rng.integers(MODES))
            x[i, t, mode] += 2.0
            hold = int(rng.integers(30, 90))
            y[i, t:t + hold] = mode
            t += hold
    return torch.from_numpy(x), torch.from_numpy(y)


class ModeTracker(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(MODES + 1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, MODES)

    def forward(self, chunk, state=None):
        h, state = self.gru(chunk, state)
        return self.out(h), state


class StreamTrainer:
    def __init__(self, model, lr=6e-3):
        self.model = model
        self.loss = nn.CrossEntropyLoss()
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def walk(self, x, y, learn):
        """one pass over a group of streams, chunk by chunk"""
        state = None
        loss_sum, right = 0.0, 0
        for xc, yc in zip(x.split(CHUNK, dim=1), y.split(CHUNK, dim=1)):
            logits, _ = self.model(xc, state)
            loss = self.loss(logits.flatten(0, 1), yc.flatten())
            if learn:
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
                self.opt.step()
            loss_sum += loss.item() * yc.numel()
            right += (logits.argmax(-1) == yc).sum().item()
        return loss_sum / y.numel(), right / y.numel()

    def fit(self, train, val, epochs=9, batch=32):
        x, y = train
        for epoch in range(1, epochs + 1):
            self.model.train()
            stats = [self.walk(x[i], y[i], learn=True) for i in torch.randperm(len(x)).split(batch)]
            loss, acc = np.mean(stats, axis=0)
            v_loss, v_acc = self.test(*val)
            print(f"epoch {epoch:2d} | train loss {loss:.4f} acc {acc:.3f} | val loss {v_loss:.4f} acc {v_acc:.3f}")

    @torch.no_grad()
    def test(self, x, y):
        self.model.eval()
        return self.walk(x, y, learn=False)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    trainer = StreamTrainer(ModeTracker())
    trainer.fit(make_streams(480, seed=10), make_streams(200, seed=11))
    loss, acc = trainer.test(*make_streams(300, seed=12))
    print(f"test loss {loss:.4f}  mode accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
