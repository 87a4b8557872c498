import torch
from torch import nn


class BagClassifier(nn.Module):
    def __init__(self, vocab_size, dim=24, hidden=24):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab_size, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(hidden, 1))

    def forward(self, tokens, offsets):
        return self.mlp(self.bag(tokens, offsets)).squeeze(-1)


def collate(batch):
    ids, y = zip(*batch)
    offsets = torch.tensor([0] + [len(i) for i in ids[:-1]]).cumsum(0)
    return torch.tensor([t for i in ids for t in i]), offsets, torch.tensor(y)
