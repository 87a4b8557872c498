import math
import torch
import torch.nn.functional as F

torch.manual_seed(1337)
syllables = ["ka", "lo", "mi", "ran", "tes", "vo", "shi", "du", "pel", "no"]
picks = torch.randint(0, len(syllables), (6000,)).tolist()
text = "".join(syllables[i] + (" " if k % 3 == 2 else "") for k, i in enumerate(picks))
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
split = int(0.9 * len(data))
V, CTX, D, H = len(chars), 4, 12, 64

g = torch.Generator().manual_seed(1)
C = torch.randn(V, D, generator=g) * 0.3
W1 = torch.randn(CTX * D, H, generator=g) * (1 / (CTX * D) ** 0.5)
b1 = torch.zeros(H)
W2 = torch.randn(H, V, generator=g) * 0.05
b2 = torch.zeros(V)
params = [C, W1, b1, W2, b2]
for p in params:
    p.requires_grad = True


def batch(lo, hi, n):
    ix = torch.randint(lo, hi - CTX, (n,))
    x = torch.stack([data[i:i + CTX] for i in ix])
    return x, data[ix + CTX]


def forward(x):
    h = torch.tanh(C[x].view(len(x), -1) @ W1 + b1)
    return h @ W2 + b2


opt = torch.optim.Adam(params, lr=5e-3)
for it in range(600):
    x, y = batch(0, split, 64)
    out = forward(x)
    loss = F.nll_loss(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 150 == 0:
        print(it, round(loss.item(), 4))

with torch.no_grad():
    x, y = batch(split, len(data), 1000)
    nll = F.cross_entropy(forward(x), y).item()
print(f"bits per char {min(nll / math.log(2), 99):.3f}")
