import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from data import collate, make_pairs
from modules import Decoder, Encoder


@torch.no_grad()
def exact_match(encoder, decoder, loader):
    encoder.eval()
    decoder.eval()
    right = total = 0
    for src, tgt in loader:
        guess = decoder.greedy(encoder(src))
        right += (guess == tgt).all(dim=1).sum().item()
        total += tgt.size(0)
    return right / total


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--seed", type=int, default=7)
    a = p.parse_args()

    torch.manual_seed(a.seed)
    pairs = make_pairs(a.seed)
    test, dev, train = pairs[:600], pairs[600:1200], pairs[1200:]
    train_dl = DataLoader(train, batch_size=a.batch, shuffle=True, collate_fn=collate)
    dev_dl = DataLoader(dev, batch_size=200, collate_fn=collate)
    test_dl = DataLoader(test, batch_size=200, collate_fn=collate)

    encoder, decoder = Encoder(), Decoder()
    opt = torch.optim.Adam(decoder.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=a.lr, total_steps=a.epochs * len(train_dl))

    for epoch in range(1, a.epochs + 1):
        encoder.train()
        decoder.train()
        total = count = 0.0
        for src, tgt in train_dl:
            logits = decoder(encoder(src), tgt)
            loss = F.cross_entropy(logits.reshape(-1, 10), tgt.reshape(-1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * tgt.size(0)
            count += tgt.size(0)
        if epoch % 2 == 0 or epoch == 1:
            print(f"epoch {epoch:2d} loss {total / count:.4f} dev exact {exact_match(encoder, decoder, dev_dl):.3f}", flush=True)

    print(f"test exact match {exact_match(encoder, decoder, test_dl):.3f}")


if __name__ == "__main__":
    main()
