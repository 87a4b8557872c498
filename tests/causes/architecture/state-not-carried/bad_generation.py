import torch
from torch import nn


class CharRNN(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids, state=None):
        h, state = self.lstm(self.embed(ids), state)
        return self.out(h), state


@torch.no_grad()
def sample(model, start, length):
    token, text = start, []
    for _ in range(length):
        logits, _ = model(token)  # state-not-carried
        token = logits[:, -1].argmax(-1, keepdim=True)
        text.append(token.item())
    return text


print(sample(CharRNN(50, 64), torch.zeros(1, 1, dtype=torch.long), 200))
