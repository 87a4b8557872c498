import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader


class Tagger(nn.Module):
    def __init__(self, n_words, n_tags, dim=128):
        super().__init__()
        self.embed = nn.Embedding(n_words, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, dim, bidirectional=True, batch_first=True)
        self.tag = nn.Linear(2 * dim, n_tags)

    def forward(self, tokens):
        h, _ = self.lstm(self.embed(tokens))
        return self.tag(h)


def train(dataset, n_words, n_tags, epochs=8):
    torch.manual_seed(13)
    tagger = Tagger(n_words, n_tags)
    loader = DataLoader(dataset, batch_size=32, shuffle=True, collate_fn=dataset.collate)
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-3)
    for epoch in range(epochs):
        tagger.train()
        for tokens, tags in loader:
            scores = tagger(tokens)
            loss = criterion(scores.reshape(-1, n_tags), tags.reshape(-1))
            loss.backward()
            clip_grad_norm_(tagger.parameters(), 5.0)
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}")
    return tagger
