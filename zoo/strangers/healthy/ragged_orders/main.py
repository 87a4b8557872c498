import argparse
import copy

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence
from torch.utils.data import DataLoader

from stream import N_KINDS, Histories, collate


class WorthNet(nn.Module):
    """Works on packed data from end to end: the embedding is looked up on `.data`, so padding never exists."""

    def __init__(self, hidden):
        super().__init__()
        self.kind = nn.Embedding(N_KINDS, 8)
        self.rnn = nn.LSTM(9, hidden)
        with torch.no_grad():
            self.rnn.bias_ih_l0[hidden:2 * hidden].fill_(1.0)     # remember by default
        self.out = nn.Linear(hidden, 1)

    def forward(self, kinds: PackedSequence, gaps: PackedSequence):
        steps = torch.cat([self.kind(kinds.data), gaps.data[:, None]], dim=1)
        _, (h, _) = self.rnn(PackedSequence(steps, *kinds[1:]))   # last state of every sequence at its own length
        return self.out(h[-1]).squeeze(-1)


class Meter:
    def __init__(self):
        self.total, self.n = 0.0, 0

    def add(self, value, n):
        self.total, self.n = self.total + value * n, self.n + n

    @property
    def mean(self):
        return self.total / self.n


def evaluate(model, loader):
    model.eval()
    se, truth = Meter(), []
    with torch.no_grad():
        for kinds, gaps, worth in loader:
            se.add(nn.functional.mse_loss(model(kinds, gaps), worth).item(), len(worth))
            truth.append(worth)
    return se.mean, torch.cat(truth).var(unbiased=False).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--hidden", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=14)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    train = Histories(4096, seed=1)
    loader = lambda ds: DataLoader(ds, batch_size=1, collate_fn=collate)
    train_loader, val_loader, test_loader = loader(train), loader(Histories(1000, 2, frozen=True)), loader(Histories(2000, 3, frozen=True))

    model = WorthNet(args.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    best, best_state = float("inf"), None

    for epoch in range(args.epochs):
        train.set_epoch(epoch)
        model.train()
        meter = Meter()
        for kinds, gaps, worth in train_loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(kinds, gaps), worth)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            meter.add(loss.item(), len(worth))
        sched.step()
        val, _ = evaluate(model, val_loader)
        if val < best:
            best, best_state = val, copy.deepcopy(model.state_dict())
        print(f"[{epoch + 1:02d}/{args.epochs}] train mse {meter.mean:.4f} | val mse {val:.4f}")

    model.load_state_dict(best_state)
    mse, var = evaluate(model, test_loader)
    print(f"test mse {mse:.4f} (variance {var:.3f}, noise 0.010) -> R2 {1 - mse / var:.4f}")


if __name__ == "__main__":
    main()
