"""Multi-label topic tagging of generated forum posts (bag of words through EmbeddingBag).

Topics differ in frequency, so the loss weighs the positives of each topic.
"""
import argparse
import random
from collections import Counter

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

TOPICS = {"cooking": 0.45, "travel": 0.35, "music": 0.3, "garden": 0.2, "chess": 0.15}


def topic_words(topic):
    return [f"{topic}_{i}" for i in range(40)]


def write_post(rng):
    topics = [t for t, p in TOPICS.items() if rng.random() < p]
    words = [f"common_{min(int(rng.expovariate(0.03)), 199)}" for _ in range(rng.randint(8, 25))]
    for t in topics:
        words += rng.choices(topic_words(t), k=rng.randint(2, 5))
    if rng.random() < 0.3:
        words.append(rng.choice(topic_words(rng.choice(list(TOPICS)))))
    rng.shuffle(words)
    return words, topics


class Posts(Dataset):
    def __init__(self, posts, vocab):
        self.rows = []
        names = list(TOPICS)
        for words, topics in posts:
            ids = [vocab[w] for w in words if w in vocab] or [vocab["<unk>"]]
            target = torch.zeros(len(names))
            target[[names.index(t) for t in topics]] = 1.0
            self.rows.append((torch.tensor(ids), target))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

    def targets(self):
        return torch.stack([t for _, t in self.rows])


def bag_collate(rows):
    ids, targets = zip(*rows)
    lengths = torch.tensor([0] + [len(i) for i in ids[:-1]])
    return torch.cat(ids), lengths.cumsum(0), torch.stack(targets)


class Tagger(nn.Module):
    def __init__(self, n_words, n_topics, dim=32):
        super().__init__()
        self.bag = nn.EmbeddingBag(n_words, dim, mode="mean")
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, n_topics)

    def forward(self, ids, offsets):
        return self.out(self.norm(self.bag(ids, offsets)))


def f1_table(model, loader):
    """F1 of every topic over the whole loader."""
    model.eval()
    tp = fp = fn = 0
    with torch.no_grad():
        for ids, offsets, target in loader:
            guess = model(ids, offsets) > 0
            truth = target > 0.5
            tp = tp + (guess & truth).sum(0)
            fp = fp + (guess & ~truth).sum(0)
            fn = fn + (~guess & truth).sum(0)
    return 2 * tp / (2 * tp + fp + fn)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--posts", type=int, default=3500)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--lr", type=float, default=1e-2)
    ap.add_argument("--seed", type=int, default=12)
    args = ap.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)

    rng = random.Random(args.seed)
    posts = [write_post(rng) for _ in range(args.posts)]
    train_posts, test_posts = posts[:-700], posts[-700:]
    counts = Counter(w for words, _ in train_posts for w in words)
    vocab = {"<unk>": 0}
    for word, c in counts.most_common():
        if c >= 2:
            vocab[word] = len(vocab)

    train_set, test_set = Posts(train_posts, vocab), Posts(test_posts, vocab)
    share = train_set.targets().mean(0)
    criterion = nn.BCEWithLogitsLoss(pos_weight=((1 - share) / share).sqrt())
    train_loader = DataLoader(train_set, batch_size=50, shuffle=True, collate_fn=bag_collate)
    test_loader = DataLoader(test_set, batch_size=200, collate_fn=bag_collate)

    model = Tagger(len(vocab), len(TOPICS))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.75)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for ids, offsets, target in train_loader:
            loss = criterion(model(ids, offsets), target)
            for p in model.parameters():
                p.grad = None
            loss.backward()
            optimizer.step()
            total += loss.item() * len(target)
        scheduler.step()
        print(f"epoch {epoch + 1}: loss {total / len(train_set):.4f}")
    f1 = f1_table(model, test_loader)
    for name, value in zip(TOPICS, f1.tolist()):
        print(f"  {name:8s} F1 {value:.3f}")
    print(f"macro F1 {f1.mean().item():.3f}")


if __name__ == "__main__":
    main()
