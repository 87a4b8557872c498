import torch
import torch.nn as nn

torch.manual_seed(57)
ALPHABET, LEN, DELAY = 5, 14, 2


def batch(n):
    s = torch.randint(0, ALPHABET, (n, LEN))
    y = torch.zeros_like(s)
    y[:, DELAY:] = s[:, :-DELAY]
    return s, y


class Recall(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.emb = nn.Embedding(ALPHABET, d)
        self.gru = nn.GRU(d, 48)
        self.out = nn.Linear(48, ALPHABET)

    def forward(self, s):
        e = self.emb(s)
        e = e.reshape(e.shape[1], e.shape[0], -1)
        h, _ = self.gru(e)
        return self.out(h.transpose(0, 1))


model = Recall()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for it in range(1, 301):
    s, y = batch(40)
    loss = nn.functional.cross_entropy(model(s).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 60 == 0:
        print(f"iter {it} loss {loss.item():.4f}")
with torch.no_grad():
    s, y = batch(200)
    print(f"symbols recalled {(model(s).argmax(-1) == y)[:, DELAY:].float().mean().item():.3f}")
