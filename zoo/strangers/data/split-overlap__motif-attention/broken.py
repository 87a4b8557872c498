"""Which regulatory motif does a DNA read carry?  Conv k-mers + attention pooling."""
import argparse
import copy

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

MOTIFS = ["GATTAC", "CCTGAA", "TTAGGC", "ACGCGT"]
ALPHABET = "ACGT"


def simulate_reads(n, length, rng, mutate=0.12):
    reads = rng.integers(0, 4, (n, length))
    labels = rng.integers(0, len(MOTIFS), n)
    for i, k in enumerate(labels):
        motif = np.array([ALPHABET.index(c) for c in MOTIFS[k]])
        flip = rng.random(len(motif)) < mutate
        motif = np.where(flip, rng.integers(0, 4, len(motif)), motif)
        at = rng.integers(0, length - len(motif) + 1)
        reads[i, at:at + len(motif)] = motif
    return TensorDataset(torch.from_numpy(reads), torch.from_numpy(labels))


def split_indices(n, frac_val, frac_test, rng):
    perm = rng.permutation(n)
    n_val, n_test = int(n * frac_val), int(n * frac_test)
    test_idx = perm[:n_test]
    val_idx = perm[n_test:n_test + n_val]
    train_idx = perm[n_val:]
    return train_idx, val_idx, test_idx


class MotifNet(nn.Module):
    def __init__(self, channels=80, kernel=6):
        super().__init__()
        self.conv = nn.Conv1d(4, channels, kernel)
        self.mix = nn.Conv1d(channels, channels, 5, padding=2)
        self.gate = nn.Conv1d(channels, 1, 1)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(channels, len(MOTIFS))

    def forward(self, reads):
        x = nn.functional.one_hot(reads, 4).float().transpose(1, 2) - 0.25
        h = torch.relu(self.mix(torch.relu(self.conv(x))))
        attn = torch.softmax(self.gate(h), dim=-1)
        return self.out(self.drop((h * attn).sum(-1)))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss, hit, n = 0.0, 0, 0
    for reads, y in loader:
        out = model(reads)
        loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
        hit += (out.argmax(1) == y).sum().item()
        n += len(y)
    return loss / n, hit / n


def train(model, train_loader, val_loader, args):
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    best_loss, best_state, waited = float("inf"), None, 0
    for epoch in range(1, args.max_epochs + 1):
        model.train()
        total, n = 0.0, 0
        for reads, y in train_loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(reads), y)
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
            n += len(y)
        val_loss, val_acc = evaluate(model, val_loader)
        print(f"epoch {epoch:3d}  train {total / n:.4f}  val {val_loss:.4f}  val acc {val_acc:.3f}")
        if val_loss < best_loss - 1e-4:
            best_loss, best_state, waited = val_loss, copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
            if waited >= args.patience:
                print(f"early stop at epoch {epoch}")
                break
    model.load_state_dict(best_state)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--reads", type=int, default=2500)
    ap.add_argument("--length", type=int, default=30)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--max-epochs", type=int, default=22)
    ap.add_argument("--patience", type=int, default=3)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    data = simulate_reads(args.reads, args.length, rng)
    train_idx, val_idx, test_idx = split_indices(len(data), 0.2, 0.2, rng)

    gen = torch.Generator().manual_seed(args.seed)
    train_loader = DataLoader(Subset(data, train_idx), args.batch_size, shuffle=True, generator=gen)
    val_loader = DataLoader(Subset(data, val_idx), 300)
    test_loader = DataLoader(Subset(data, test_idx), 300)

    model = MotifNet()
    train(model, train_loader, val_loader, args)
    for name, loader in (("val", val_loader), ("test", test_loader)):
        loss, acc = evaluate(model, loader)
        print(f"{name:>5}: loss {loss:.4f}  acc {acc:.3f}")


if __name__ == "__main__":
    main()
