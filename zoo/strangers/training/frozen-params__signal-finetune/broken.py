"""Two-stage training for short audio-like clips.

Stage 1 teaches a 1-D conv encoder to regress the base pitch of a clip.
Stage 2 moves the encoder to modulation recognition: first the new head alone, then everything.
"""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

N_KINDS = 5


def synth(n, gen):
    t = torch.linspace(0, 1, 128)
    kind = torch.randint(0, N_KINDS, (n,), generator=gen)
    pitch = 6 + 10 * torch.rand(n, generator=gen)
    phase = 2 * math.pi * torch.rand(n, 1, generator=gen)
    p = pitch[:, None]
    slow = torch.sin(2 * math.pi * 3 * t)[None]
    arg = 2 * math.pi * p * t + phase
    forms = torch.stack([
        torch.sin(arg),
        torch.sin(arg) * (1 + 0.6 * slow),
        torch.sin(arg + 1.5 * slow),
        torch.sin(arg + 6.0 * t ** 2 * 2 * math.pi),
        torch.tanh(6.0 * torch.sin(arg)),
    ], dim=1)
    x = forms[torch.arange(n), kind]
    x = x / x.std(dim=1, keepdim=True)
    x = x + 0.15 * torch.randn(x.shape, generator=gen)
    return x.unsqueeze(1), (pitch - 11) / 3, kind


class Encoder(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.c1 = nn.Conv1d(1, width, 9, stride=2, padding=4)
        self.c2 = nn.Conv1d(width, width, 7, stride=2, padding=3)
        self.c3 = nn.Conv1d(width, width, 5, stride=2, padding=2)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        x = F.relu(self.c3(x))
        return torch.cat([x.mean(-1), x.amax(-1)], dim=1)


class ClipModel(nn.Module):
    def __init__(self, encoder, n_out):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(48, n_out)

    def forward(self, x):
        return self.head(self.encoder(x))


def pretrain(encoder, loader, epochs):
    model = ClipModel(encoder, 1)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        total = 0.0
        for x, pitch, _ in loader:
            loss = F.mse_loss(model(x).squeeze(1), pitch)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(x)
        print(f"[pretrain] epoch {epoch} mse {total / len(loader.dataset):.4f}")


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item() for x, _, y in loader)
    return hits / len(loader.dataset)


def finetune(model, train_loader, val_loader, args):
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs * len(train_loader))
    model.encoder.requires_grad_(False)
    for epoch in range(args.epochs):
        if epoch == args.head_epochs:
            model.encoder.requires_grad = True
        model.train()
        total = 0.0
        for x, _, y in train_loader:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(x)
        print(f"[finetune] epoch {epoch} loss {total / len(train_loader.dataset):.4f} "
              f"val acc {accuracy(model, val_loader):.3f}")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--epochs", type=int, default=16)
    ap.add_argument("--head-epochs", type=int, default=2)
    args = ap.parse_args()
    torch.manual_seed(11)
    gen = torch.Generator().manual_seed(11)
    train = DataLoader(TensorDataset(*synth(3000, gen)), batch_size=64, shuffle=True)
    val = DataLoader(TensorDataset(*synth(600, gen)), batch_size=200)
    test = DataLoader(TensorDataset(*synth(1000, gen)), batch_size=200)
    encoder = Encoder()
    pretrain(encoder, train, 3)
    model = ClipModel(encoder, N_KINDS)
    finetune(model, train, val, args)
    print(f"test accuracy {accuracy(model, test):.3f}")


if __name__ == "__main__":
    main()
