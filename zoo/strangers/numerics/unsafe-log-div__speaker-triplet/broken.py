"""Speaker embedding with batch-hard triplet loss on P x K batches."""
import random
from collections import defaultdict

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler

N_SPEAKERS_TRAIN, N_SPEAKERS_TEST, UTTS, DIM = 60, 30, 20, 40


class UtteranceSet(Dataset):
    """Pooled filter-bank statistics: a speaker factor seen through a fixed mixing, plus a stronger channel factor."""

    def __init__(self, n_speakers, mixing, gen):
        speaker = torch.randn(n_speakers, 8, generator=gen).repeat_interleave(UTTS, 0)
        channel = 2.0 * torch.randn(n_speakers * UTTS, 8, generator=gen)
        z = torch.cat([speaker, channel], 1) @ mixing
        self.x = torch.tanh(z) + 0.05 * torch.randn(z.shape, generator=gen)
        self.y = torch.arange(n_speakers).repeat_interleave(UTTS)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class PKSampler(Sampler):
    def __init__(self, labels, p, k, n_batches, seed):
        self.by_label = defaultdict(list)
        for i, l in enumerate(labels.tolist()):
            self.by_label[l].append(i)
        self.p, self.k, self.n_batches = p, k, n_batches
        self.rng = random.Random(seed)

    def __len__(self):
        return self.n_batches

    def __iter__(self):
        for _ in range(self.n_batches):
            batch = []
            for label in self.rng.sample(sorted(self.by_label), self.p):
                batch += self.rng.sample(self.by_label[label], self.k)
            yield batch


class Embedder(nn.Module):
    def __init__(self, dim=DIM, out=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, out))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=1)


def pairwise_distance(a, b):
    sq = (a[:, None, :] - b[None, :, :]).pow(2).sum(-1)
    return sq.sqrt()


class BatchHardTriplet(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, emb, labels):
        d = pairwise_distance(emb, emb)
        same = labels[:, None] == labels[None, :]
        hardest_pos = (d * same).max(dim=1).values
        hardest_neg = (d + 10.0 * same).min(dim=1).values
        return torch.nn.functional.softplus((hardest_pos - hardest_neg + self.margin) * 4).mean() / 4


@torch.no_grad()
def recall_at_1(model, data, stats):
    model.eval()
    e = model((data.x - stats[0]) / stats[1])
    d = pairwise_distance(e, e)
    d.fill_diagonal_(float("inf"))
    return (data.y[d.argmin(1)] == data.y).float().mean().item()


def main():
    torch.manual_seed(1)
    gen = torch.Generator().manual_seed(1)
    mixing = torch.randn(16, DIM, generator=gen) / 6
    train, test = UtteranceSet(N_SPEAKERS_TRAIN, mixing, gen), UtteranceSet(N_SPEAKERS_TEST, mixing, gen)
    stats = train.x.mean(0), train.x.std(0)

    loader = DataLoader(train, batch_sampler=PKSampler(train.y, p=12, k=4, n_batches=50, seed=1))
    model, criterion = Embedder(), BatchHardTriplet()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    epochs = 12
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    print(f"recall@1 on unseen speakers before training: {recall_at_1(model, test, stats):.3f}")
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = criterion(model((x - stats[0]) / stats[1]), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        print(f"epoch {epoch:2d}  triplet loss {total / len(loader):.4f}  recall@1 {recall_at_1(model, test, stats):.3f}")


if __name__ == "__main__":
    main()
