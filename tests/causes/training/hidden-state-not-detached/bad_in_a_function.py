import torch
import torch.nn.functional as F
from torch import nn


class CharRNN(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.emb = nn.Embedding(vocab, 32)
        self.gru = nn.GRU(32, 128)
        self.out = nn.Linear(128, vocab)

    def forward(self, tokens, h):
        y, h = self.gru(self.emb(tokens), h)
        return self.out(y), h


def train(model, stream, optimizer, epochs):
    for _ in range(epochs):
        h = torch.zeros(1, 20, 128)
        for tokens, target in stream:
            logits, h = model(tokens, h)  # hidden-state-not-detached
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), target.view(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


model = CharRNN(60)
train(model, stream, torch.optim.SGD(model.parameters(), lr=1.0), 10)
