# small transformer, toy task: read a sequence of digits, write it sorted
# (my notes while following the "attention is all you need" paper)
import math
import torch
import torch.nn as nn

torch.manual_seed(1234)

VOCAB, LEN, D = 10, 8, 32


def make_batch(n, gen):
    x = torch.randint(0, VOCAB, (n, LEN), generator=gen)
    y, _ = x.sort(dim=1)
    return x, y


class PositionalEncoding(nn.Module):
    def __init__(self, d, max_len=64):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe = torch.zeros(max_len, d)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1 = nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.ln2 = nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        h = self.ln1(x)
        a, _ = self.attn(h, h, h, need_weights=False)
        x = x + a
        return x + self.ff(self.ln2(x))


class SortNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, D)
        self.pos = PositionalEncoding(D)
        self.blocks = nn.ModuleList([Block(D, 4) for _ in range(2)])
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, VOCAB)

    def forward(self, x):
        h = self.pos(self.tok(x))
        for b in self.blocks:
            h = b(h)
        return self.head(self.norm(h))


train_gen = torch.Generator().manual_seed(1)
test_gen = torch.Generator().manual_seed(2)

model = SortNet()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
STEPS = 600
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, total_steps=STEPS)
ce = nn.CrossEntropyLoss()

model.train()
avg = 0.0
for step in range(1, STEPS + 1):
    x, y = make_batch(64, train_gen)
    logits = model(x)
    loss = ce(logits.reshape(-1, VOCAB), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    avg += loss.item()
    if step % 50 == 0:
        print(f"step {step}  loss {avg / 50:.4f}")
        avg = 0.0

model.eval()
x, y = make_batch(1000, test_gen)
with torch.no_grad():
    pred = model(x).argmax(dim=-1)
print(f"token accuracy {(pred == y).float().mean().item():.4f}   whole sequences {(pred == y).all(dim=1).float().mean().item():.4f}")
