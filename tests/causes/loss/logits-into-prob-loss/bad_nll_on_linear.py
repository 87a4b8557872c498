import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocab, tags):
        super().__init__()
        self.embed = nn.Embedding(vocab, 32)
        self.lstm = nn.LSTM(32, 64, batch_first=True)
        self.tag = nn.Linear(64, tags)

    def forward(self, words):
        states, _ = self.lstm(self.embed(words))
        out = self.tag(states)
        return out.view(-1, out.shape[-1])


tagger = Tagger(500, 9)
criterion = nn.NLLLoss(ignore_index=0)
optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-3)
for words, tags in loader:
    optimizer.zero_grad()
    loss = criterion(tagger(words), tags.view(-1))  # logits-into-prob-loss
    loss.backward()
    optimizer.step()
