import math
import random

import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR

random.seed(0)
torch.manual_seed(0)
NOUNS, VERBS, ADJ = ["river", "stone", "lantern", "harbour"], ["sings", "waits", "turns"], ["old", "quiet", "silver"]
text = " ".join(f"the {random.choice(ADJ)} {random.choice(NOUNS)} {random.choice(VERBS)}," for _ in range(2500))
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
ids = torch.tensor([stoi[c] for c in text])
split = int(0.9 * len(ids))
train_ids, val_ids = ids[:split], ids[split:]

HP = {"ctx": 40, "batch": 32, "steps": 180, "hidden": 48, "max_lr": None}
HP["max_lr"] = 4.0


class CharGRU(nn.Module):
    def __init__(self, v, h):
        super().__init__()
        self.emb = nn.Embedding(v, 24)
        self.rnn = nn.GRU(24, h, batch_first=True)
        self.out = nn.Linear(h, v)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


def get_batch(src):
    starts = torch.randint(0, len(src) - HP["ctx"] - 1, (HP["batch"],))
    x = torch.stack([src[s:s + HP["ctx"]] for s in starts])
    y = torch.stack([src[s + 1:s + 1 + HP["ctx"]] for s in starts])
    return x, y


model = CharGRU(len(chars), HP["hidden"])
opt = torch.optim.AdamW(model.parameters(), lr=HP["max_lr"] / 25)
sched = OneCycleLR(opt, max_lr=HP["max_lr"], total_steps=HP["steps"], pct_start=0.3)
for step in range(HP["steps"]):
    x, y = get_batch(train_ids)
    loss = nn.functional.cross_entropy(model(x).reshape(-1, len(chars)), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.3f}")
model.eval()
with torch.no_grad():
    tot = [nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()).item()
           for x, y in (get_batch(val_ids) for _ in range(10))]
print(f"bits/char {sum(tot) / len(tot) / math.log(2):.3f}")
