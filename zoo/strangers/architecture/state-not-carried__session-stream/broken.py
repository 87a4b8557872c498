"""Online tagging of machine telemetry.

Several machines stream side by side. A session opens with a programme code; the expected
state of every later tick depends on that code and on the current reading. Training is
truncated BPTT over chunks of the stream.
"""
import torch
from torch import nn
import torch.nn.functional as F

MACHINES, CHUNK, PROGRAMMES, READINGS = 32, 10, 4, 4


class Plant:
    """Generator of endless telemetry; sessions last 6 to 20 ticks."""

    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)
        self.left = torch.zeros(MACHINES, dtype=torch.long)
        self.prog = torch.zeros(MACHINES, dtype=torch.long)

    def tick(self):
        opening = self.left == 0
        fresh = torch.randint(0, PROGRAMMES, (MACHINES,), generator=self.g)
        span = torch.randint(6, 21, (MACHINES,), generator=self.g)
        self.prog = torch.where(opening, fresh, self.prog)
        self.left = torch.where(opening, span, self.left) - 1
        reading = torch.randint(0, READINGS, (MACHINES,), generator=self.g)
        symbol = torch.where(opening, self.prog, PROGRAMMES + reading)
        label = torch.where(opening, self.prog, (reading + self.prog) % READINGS)
        return symbol, opening, label

    def chunk(self):
        s, o, y = zip(*(self.tick() for _ in range(CHUNK)))
        return torch.stack(s, 1), torch.stack(o, 1), torch.stack(y, 1)


class Tagger(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.embed = nn.Embedding(PROGRAMMES + READINGS, 16)
        self.cell = nn.GRUCell(16, hidden)
        self.out = nn.Sequential(nn.Linear(hidden, 48), nn.ReLU(), nn.Linear(48, READINGS))
        self.hidden = hidden

    def blank(self, n):
        return torch.zeros(n, self.hidden)

    def forward(self, symbols, openings, h):
        x = self.embed(symbols)
        gate = openings.float().unsqueeze(-1)      # a new session starts from a blank memory
        outs = []
        for t in range(symbols.size(1)):
            h = self.cell(x[:, t], h * gate[:, t])
            outs.append(self.out(h))
        return torch.stack(outs, 1), h


@torch.no_grad()
def evaluate(model, seed, chunks=40):
    model.eval()
    plant = Plant(seed)
    h, hit, n = model.blank(MACHINES), 0, 0
    for _ in range(chunks):
        s, o, y = plant.chunk()
        logits, h = model(s, o, h)
        hit += (logits.argmax(-1) == y).sum().item()
        n += y.numel()
    model.train()
    return hit / n


def train(steps=300):
    torch.manual_seed(17)
    model = Tagger()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    plant = Plant(seed=1)
    h = model.blank(MACHINES)
    model.train()
    smooth = None
    for step in range(1, steps + 1):
        s, o, y = plant.chunk()
        logits, h = model(s, o, h.detach())
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        smooth = loss.item() if smooth is None else 0.95 * smooth + 0.05 * loss.item()
        if step % 50 == 0:
            print(f"step {step}  loss(ema) {smooth:.4f}  val acc {evaluate(model, seed=2):.3f}")
    return model


if __name__ == "__main__":
    tagger = train()
    print("unseen plant, accuracy:", round(evaluate(tagger, seed=3), 3))
