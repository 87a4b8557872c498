import torch
from torch import nn


class Lm(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        h, _ = self.gru(self.embed(ids))
        return self.out(h)


@torch.no_grad()
def generate(model, ids, n):
    for _ in range(n):
        logits = model(ids)[:, -1]
        nxt = torch.multinomial(logits.softmax(-1), 1)
        ids = torch.cat([ids, nxt], dim=1)
    return ids


class PerAgent(nn.Module):
    """The loop goes over agents; each call sees a whole trajectory."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 16, batch_first=True)

    def forward(self, x):
        return torch.stack([self.rnn(x[:, agent])[0] for agent in range(x.size(1))], 1)


generate(Lm(30, 16), torch.zeros(1, 4, dtype=torch.long), 20)
