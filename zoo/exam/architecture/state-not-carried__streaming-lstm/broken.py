import torch
from torch import nn

torch.manual_seed(15)
CHUNK, CHUNKS, STREAMS = 6, 8, 64


def streams():
    bits = (torch.rand(STREAMS, CHUNK * CHUNKS) < 0.06).float()
    kind = torch.randint(0, 3, (STREAMS, CHUNK * CHUNKS))
    x = torch.zeros(STREAMS, CHUNK * CHUNKS, 4)
    x[..., :3] = nn.functional.one_hot(kind, 3)
    x[..., 3] = bits
    x[..., :3] *= bits.unsqueeze(-1)
    last = torch.full((STREAMS,), 3)
    y = []
    for t in range(CHUNK * CHUNKS):
        last = torch.where(bits[:, t] > 0, kind[:, t], last)
        y.append(last.clone())
    return x, torch.stack(y, 1)


class Monitor(nn.Module):
    def __init__(self, h=24):
        super().__init__()
        self.lstm = nn.LSTM(4, h, batch_first=True)
        self.head = nn.Linear(h, 4)

    def forward(self, x, state=None):
        out, state = self.lstm(x, state)
        return self.head(out), state


def detach(state):
    return tuple(s.detach() for s in state)


model = Monitor()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for rnd in range(25):
    x, y = streams()
    state, losses = None, []
    for c in range(CHUNKS):
        sl = slice(c * CHUNK, (c + 1) * CHUNK)
        logits, state = model(x[:, sl])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y[:, sl].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        state = detach(state)
        losses.append(loss.item())
    if rnd % 5 == 4:
        print(f"round {rnd + 1} loss {sum(losses) / len(losses):.4f}")
model.eval()
with torch.no_grad():
    x, y = streams()
    state, hits = None, []
    for c in range(CHUNKS):
        sl = slice(c * CHUNK, (c + 1) * CHUNK)
        logits, state = model(x[:, sl])
        hits.append((logits.argmax(-1) == y[:, sl]).float().mean().item())
print("per chunk", " ".join(f"{h:.2f}" for h in hits))
print(f"stream accuracy {sum(hits) / len(hits):.3f}")
