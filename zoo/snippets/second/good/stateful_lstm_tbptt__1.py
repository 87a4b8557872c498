import torch
import torch.nn as nn


class StatefulLM(nn.Module):
    def __init__(self, vocab, dim=200):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, dim, num_layers=2, batch_first=True, dropout=0.5)
        self.out = nn.Linear(dim, vocab)
        self.out.weight = self.emb.weight

    def forward(self, x, state=None):
        h, state = self.lstm(self.emb(x), state)
        return self.out(h), state


def train_epoch(model, stream, opt, bptt=70):
    """stream: (batch, N) contiguous text, read left to right."""
    model.train()
    state = None
    total, n = 0.0, 0
    for i in range(0, stream.size(1) - 1, bptt):
        x = stream[:, i:i + bptt]
        y = stream[:, i + 1:i + 1 + bptt]
        x = x[:, :y.size(1)]
        if state is not None:
            state = tuple(s.detach() for s in state)
        logits, state = model(x, state)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()
        total += loss.item() * y.numel()
        n += y.numel()
    return total / n
