import numpy as np
import torch
import torch.nn as nn


class SiameseText(nn.Module):
    def __init__(self, vocab, dim=128):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, dim)
        self.encoder = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.scorer = nn.Linear(2 * dim, 1)

    def encode(self, tokens, offsets):
        return self.encoder(self.embed(tokens, offsets))

    def forward(self, left, right):
        a = self.encode(*left)
        b = self.encode(*right)
        a, b = a.detach().numpy(), b.detach().numpy()
        feats = np.concatenate([np.abs(a - b), a * b], axis=1)
        return self.scorer(torch.from_numpy(feats)).squeeze(1)


def fit(model, loader, epochs=5):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    bce = nn.BCEWithLogitsLoss()
    model.train()
    for _ in range(epochs):
        for left, right, same in loader:
            opt.zero_grad()
            loss = bce(model(left, right), same.float())
            loss.backward()
            opt.step()
