"""Listwise learning-to-rank for a small product search log.

Queries have between 6 and 20 candidate products with grades 0..3. Queries (not products) are
split into train and test.
"""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler

SEED = 55


def simulate_queries(n, rng):
    out = []
    for _ in range(n):
        m = rng.integers(6, 21)
        text = rng.beta(2, 3, m)
        price_gap = rng.normal(0, 1, m)
        rating = rng.normal(3.8, 0.6, m).clip(1, 5)
        fresh = rng.exponential(30, m)
        clicks = rng.poisson(4, m) * (0.5 + text)
        vague = rng.random()          # vague queries lean on popularity, precise ones on the text match
        util = ((1 - vague) * 4 * text + vague * 0.25 * clicks - 0.5 * price_gap ** 2
                + 0.6 * (rating - 3.8) - 0.004 * fresh + rng.normal(0, 0.5, m))
        grade = np.digitize(util, [0.3, 1.1, 1.9])
        if grade.max() == grade.min():
            continue
        x = np.stack([text, price_gap, rating, np.log1p(fresh), np.log1p(clicks), np.full(m, vague)], 1)
        out.append((x.astype(np.float32), grade.astype(np.int64)))
    return out


class QueryDataset(Dataset):
    def __init__(self, queries, mean, std):
        self.items = [(torch.from_numpy((x - mean) / std), torch.from_numpy(g)) for x, g in queries]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class SimilarLengthSampler(Sampler):
    """Batches of queries with a similar number of candidates; batch order is random each epoch."""

    def __init__(self, lengths, batch_size, generator):
        self.lengths, self.batch_size, self.g = torch.tensor(lengths), batch_size, generator

    def __len__(self):
        return -(-len(self.lengths) // self.batch_size)

    def __iter__(self):
        noisy = self.lengths + 2 * torch.rand(len(self.lengths), generator=self.g)
        batches = noisy.argsort().split(self.batch_size)
        for b in torch.randperm(len(batches), generator=self.g).tolist():
            yield batches[b].tolist()


def pad_queries(items):
    width = max(len(g) for _, g in items)
    x = torch.zeros(len(items), width, items[0][0].size(1))
    g = torch.zeros(len(items), width, dtype=torch.long)
    mask = torch.zeros(len(items), width, dtype=torch.bool)
    for i, (xi, gi) in enumerate(items):
        x[i, :len(gi)], g[i, :len(gi)], mask[i, :len(gi)] = xi, gi, True
    return x, g, mask


def listnet(scores, grades, mask):
    gain = (2.0 ** grades - 1) * mask
    target = gain / gain.sum(1, keepdim=True)
    logp = scores.masked_fill(~mask, -1e9).log_softmax(1)
    return -(target * logp).sum(1).mean()


def ndcg(scores, grades, mask, k=5):
    disc = 1 / torch.log2(torch.arange(2, k + 2).float())
    gain = (2.0 ** grades - 1) * mask
    order = scores.masked_fill(~mask, float("-inf")).argsort(1, descending=True)[:, :k]
    ideal = gain.sort(1, descending=True).values[:, :k]
    return (gain.gather(1, order) * disc).sum(1) / (ideal * disc).sum(1)


def evaluate(score_fn, loader):
    with torch.no_grad():
        return torch.cat([ndcg(score_fn(x), g, m) for x, g, m in loader]).mean().item()


def main():
    rng = np.random.default_rng(SEED)
    torch.manual_seed(SEED)
    queries = simulate_queries(2000, rng)
    cut = int(0.8 * len(queries))
    flat = np.concatenate([x for x, _ in queries[:cut]])
    mean, std = flat.mean(0), flat.std(0)
    train, test = QueryDataset(queries[:cut], mean, std), QueryDataset(queries[cut:], mean, std)

    sampler = SimilarLengthSampler([len(g) for _, g in train.items], 32, torch.Generator().manual_seed(SEED))
    train_dl = DataLoader(train, batch_sampler=sampler, collate_fn=pad_queries)
    test_dl = DataLoader(test, batch_size=100, shuffle=False, collate_fn=pad_queries)

    scorer = nn.Sequential(nn.Linear(6, 32), nn.GELU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 1))
    opt = torch.optim.RAdam(scorer.parameters(), lr=3e-3, weight_decay=1e-5)
    score = lambda x: scorer(x).squeeze(-1)
    for epoch in range(20):
        scorer.train()
        losses = []
        for x, g, m in train_dl:
            loss = listnet(score(x), g, m)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        if epoch % 4 == 3:
            scorer.eval()
            print(f"epoch {epoch + 1:2d}  listnet {np.mean(losses):.4f}  ndcg@5 {evaluate(score, test_dl):.4f}")

    scorer.eval()
    print(f"ndcg@5 test: model {evaluate(score, test_dl):.4f}, text match only {evaluate(lambda x: x[..., 0], test_dl):.4f}, "
          f"random order {evaluate(lambda x: torch.rand(x.shape[:2]), test_dl):.4f}")


if __name__ == "__main__":
    main()
