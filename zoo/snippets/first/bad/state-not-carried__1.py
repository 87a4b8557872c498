import torch
import torch.nn as nn
import torch.nn.functional as F


class CharGRU(nn.Module):
    def __init__(self, n, hidden=256):
        super().__init__()
        self.embed = nn.Embedding(n, 64)
        self.gru = nn.GRU(64, hidden, batch_first=True)
        self.out = nn.Linear(hidden, n)

    def forward(self, x, h=None):
        y, h = self.gru(self.embed(x), h)
        return self.out(y), h


@torch.no_grad()
def sample(model, start, itos, length=400, temperature=0.8):
    model.eval()
    ids = [start]
    tok = torch.tensor([[start]])
    for _ in range(length):
        logits, _ = model(tok)
        p = F.softmax(logits[0, -1] / temperature, dim=-1)
        nxt = torch.multinomial(p, 1).item()
        ids.append(nxt)
        tok = torch.tensor([[nxt]])
    return "".join(itos[i] for i in ids)
