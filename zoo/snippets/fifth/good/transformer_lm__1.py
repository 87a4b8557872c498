import torch
from torch import nn
import torch.nn.functional as F

class Block(nn.Module):
    def __init__(self, d, h, p=0.1):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = nn.MultiheadAttention(d, h, dropout=p, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(p))
    def forward(self, x, mask):
        y = self.n1(x)
        x = x + self.att(y, y, y, attn_mask=mask, need_weights=False)[0]
        return x + self.ff(self.n2(x))

class LM(nn.Module):
    def __init__(self, v, d=256, n=4, t=128):
        super().__init__()
        self.tok, self.pos = nn.Embedding(v, d), nn.Embedding(t, d)
        self.blocks = nn.ModuleList([Block(d, 8) for _ in range(n)])
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, v, bias=False)
        self.head.weight = self.tok.weight
    def forward(self, ids):
        t = ids.size(1)
        mask = torch.triu(torch.full((t, t), float("-inf"), device=ids.device), 1)
        x = self.tok(ids) + self.pos(torch.arange(t, device=ids.device))
        for b in self.blocks:
            x = b(x, mask)
        return self.head(self.norm(x))
    @torch.no_grad()
    def generate(self, ids, n, temp=1.0):
        self.eval()
        for _ in range(n):
            logits = self(ids[:, -128:])[:, -1] / temp
            ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], 1)
        self.train()
        return ids

lm = LM(65)
opt = torch.optim.AdamW(lm.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=5000)
for step in range(5000):
    ix = torch.randint(len(data) - 129, (64,))
    x = torch.stack([data[i:i + 128] for i in ix])
    y = torch.stack([data[i + 1:i + 129] for i in ix])
    loss = F.cross_entropy(lm(x).view(-1, 65), y.view(-1))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
    opt.step()
    sched.step()
