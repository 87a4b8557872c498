"""Associative recall: a bag of (key, value) pairs and one query key; answer with the value stored there."""
import time

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

KEYS, VALUES, SLOTS = 20, 10, 8


def batches(n_steps, batch_size, seed):
    gen = torch.Generator().manual_seed(seed)
    for _ in range(n_steps):
        keys = torch.rand(batch_size, KEYS, generator=gen).argsort(dim=1)[:, :SLOTS]
        values = torch.randint(0, VALUES, (batch_size, SLOTS), generator=gen)
        pick = torch.randint(0, SLOTS, (batch_size, 1), generator=gen)
        yield keys, values, keys.gather(1, pick).squeeze(1), values.gather(1, pick).squeeze(1)


class Reader(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.scale = dim ** -0.5

    def forward(self, query, keys, memory):
        scores = torch.einsum("bd,bsd->bs", self.q(query), self.k(keys)) * self.scale
        weights = torch.softmax(scores.unsqueeze(-1), dim=-1)
        return (weights * memory).sum(dim=1)


class RecallNet(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.key_emb = nn.Embedding(KEYS, dim)
        self.value_emb = nn.Embedding(VALUES, dim)
        self.reader = Reader(dim)
        self.head = nn.Sequential(
            nn.LayerNorm(2 * dim), nn.Linear(2 * dim, 64), nn.GELU(), nn.Linear(64, VALUES))

    def forward(self, keys, values, query):
        q = self.key_emb(query)
        read = self.reader(q, self.key_emb(keys), self.value_emb(values))
        return self.head(torch.cat([read, q], dim=-1))


def evaluate(model, seed):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for keys, values, query, target in batches(10, 200, seed):
            right += (model(keys, values, query).argmax(dim=1) == target).sum().item()
            total += len(target)
    return right / total


def main():
    torch.manual_seed(17)
    steps, warmup = 1500, 50
    model = RecallNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)
    scheduler = LambdaLR(optimizer, lambda s: min((s + 1) / warmup, 1 - 0.9 * s / steps))
    criterion = nn.CrossEntropyLoss()

    began, window = time.time(), []
    model.train()
    for step, (keys, values, query, target) in enumerate(batches(steps, 64, seed=1), start=1):
        loss = criterion(model(keys, values, query), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        window.append(loss.item())
        if step % 150 == 0:
            acc = evaluate(model, seed=2)
            model.train()
            print(f"step {step:5d}  loss {sum(window) / len(window):.4f}  val acc {acc:.3f}")
            window.clear()
    print(f"finished in {time.time() - began:.1f}s, test accuracy {evaluate(model, seed=3):.3f} "
          f"(guessing {1 / VALUES:.2f})")


if __name__ == "__main__":
    main()
