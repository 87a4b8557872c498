import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h = heads
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(self.n1(x)).view(B, T, 3, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        att = q @ k.transpose(-1, -2) / (D // self.h) ** 0.5
        mask = torch.ones(T, T, dtype=torch.bool).triu(1)
        att = att.masked_fill(mask.T.triu(1), float("-inf"))
        y = (att.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D)
        x = x + self.proj(y)
        return x + self.ff(self.n2(x))


class GPT(nn.Module):
    def __init__(self, vocab, ctx, d=32):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(ctx, d)
        self.blocks = nn.Sequential(Block(d, 2), Block(d, 2))
        self.head = nn.Linear(d, vocab)

    def forward(self, s):
        return self.head(self.blocks(self.tok(s) + self.pos.weight[:s.shape[1]]))


def counting(n, length=12):
    """x, x+k, x+2k, ... modulo 13"""
    start, k = torch.randint(0, 13, (n, 1)), torch.randint(1, 6, (n, 1))
    return (start + k * torch.arange(length)) % 13


torch.manual_seed(11)
net = GPT(13, 12)
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for step in range(300):
    s = counting(48)
    out = net(s[:, :-1])
    loss = F.cross_entropy(out.flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        print(f"step {step + 1} loss {loss.item():.4f}")

with torch.no_grad():
    s = counting(200)
    seq = s[:, :3]
    for _ in range(6):
        seq = torch.cat([seq, net(seq)[:, -1:].argmax(-1)], 1)
print(f"free-running accuracy {(seq[:, 3:] == s[:, 3:9]).float().mean().item():.3f}")
