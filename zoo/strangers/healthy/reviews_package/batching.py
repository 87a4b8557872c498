import random

import torch


def collate(items):
    """items: list of (ids, mood) -> padded ids, lengths, moods."""
    lengths = torch.tensor([len(ids) for ids, _ in items])
    batch = torch.zeros(len(items), int(lengths.max()), dtype=torch.long)
    for row, (ids, _) in enumerate(items):
        batch[row, : len(ids)] = torch.tensor(ids)
    moods = torch.tensor([m for _, m in items], dtype=torch.float32)
    return batch, lengths, moods


def bucketed(items, batch_size, rng: random.Random):
    """Batches of similar length, in random order; keeps the convolutions cheap."""
    order = sorted(range(len(items)), key=lambda i: (len(items[i][0]), rng.random()))
    chunks = [order[i:i + batch_size] for i in range(0, len(order), batch_size)]
    rng.shuffle(chunks)
    for chunk in chunks:
        yield collate([items[i] for i in chunk])


def in_order(items, batch_size):
    for i in range(0, len(items), batch_size):
        yield collate(items[i:i + batch_size])
