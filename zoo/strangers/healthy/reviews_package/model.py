import torch
from torch import nn


class MoodReader(nn.Module):
    """Local context by two convolutions, then the average over the words of the review."""

    def __init__(self, vocab_size, emb=32, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, emb)
        self.context = nn.Sequential(
            nn.Conv1d(emb, hidden, 3, padding=1), nn.ReLU(),
            nn.Conv1d(hidden, hidden, 3, padding=1), nn.ReLU(),
        )
        self.readout = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def pool(self, states, lengths):
        steps = torch.arange(states.size(1))
        keep = (steps[None, :] < lengths[:, None]).unsqueeze(-1).float()
        return (states * keep).sum(dim=1) / keep.sum(dim=1)

    def forward(self, ids, lengths):
        states = self.context(self.embed(ids).transpose(1, 2)).transpose(1, 2)
        return self.readout(self.pool(states, lengths)).squeeze(-1)
