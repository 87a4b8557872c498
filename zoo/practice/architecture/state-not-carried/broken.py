"""Follow a switch that is flipped now and then, reading the stream twelve ticks at a time."""
import torch
from torch import nn

torch.manual_seed(16)
STREAMS, TICKS, CHUNK = 64, 240, 12


def streams(n):
    event = torch.zeros(n, TICKS, 3)
    flag = torch.zeros(n, TICKS, dtype=torch.long)
    state = torch.zeros(n, dtype=torch.long)
    for t in range(TICKS):
        r = torch.rand(n)
        state = torch.where(r < 0.03, torch.ones_like(state), torch.where(r > 0.97, torch.zeros_like(state), state))
        event[:, t, 0] = (r < 0.03).float()
        event[:, t, 1] = (r > 0.97).float()
        flag[:, t] = state
    event[..., 2] = torch.randn(n, TICKS)
    return event, flag


class Follower(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 12, batch_first=True)
        self.out = nn.Linear(12, 2)

    def forward(self, x, h=None):
        y, h = self.rnn(x, h)
        return self.out(y), h


model = Follower()
opt = torch.optim.Adam(model.parameters(), lr=2e-2)


def sweep(x, y, train):
    h, hits = None, []
    for s in range(0, TICKS, CHUNK):
        logits, _ = model(x[:, s:s + CHUNK])
        if train:
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y[:, s:s + CHUNK].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
        hits.append((logits.argmax(-1) == y[:, s:s + CHUNK]).float().mean().item())
    return sum(hits) / len(hits)


x, y = streams(STREAMS)
for epoch in range(12):
    print(f"epoch {epoch} train acc {sweep(x, y, True):.3f}")
xt, yt = streams(STREAMS)
with torch.no_grad():
    print(f"flag accuracy {sweep(xt, yt, False):.3f}")
