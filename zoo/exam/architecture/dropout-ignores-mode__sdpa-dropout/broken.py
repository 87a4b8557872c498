import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(83)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, drop):
        super().__init__()
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.heads, self.drop = heads, drop

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.drop)
        return self.proj(y.transpose(1, 2).reshape(b, t, d))


class Layer(nn.Module):
    def __init__(self, dim, heads, drop):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads, drop)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim), nn.Dropout(drop))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ff(self.ln2(x))


class EventModel(nn.Module):
    def __init__(self, kinds=8, dim=24, depth=2, drop=0.25):
        super().__init__()
        self.kind, self.amount = nn.Embedding(kinds, dim), nn.Linear(1, dim)
        self.layers = nn.Sequential(*[Layer(dim, 4, drop) for _ in range(depth)])
        self.out = nn.Linear(dim, 1)

    def forward(self, kind, amount):
        return self.out(self.layers(self.kind(kind) + self.amount(amount.unsqueeze(-1))).mean(1)).squeeze(-1)


def events(n):
    kind, amount = torch.randint(0, 8, (n, 10)), torch.randn(n, 10)
    w = torch.linspace(-1, 1, 8)[kind]
    return kind, amount, (w * amount).sum(1)


model = EventModel()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
for it in range(1, 301):
    model.train()
    kind, amount, y = events(64)
    loss = F.smooth_l1_loss(model(kind, amount), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 60 == 0:
        print(f"iter {it} loss {loss.item():.4f}")
model.eval()
with torch.no_grad():
    kind, amount, y = events(400)
    one, two = model(kind, amount), model(kind, amount)
print(f"test mae {(one - y).abs().mean():.4f}")
print(f"prediction wobble {(one - two).abs().mean():.4f}")
