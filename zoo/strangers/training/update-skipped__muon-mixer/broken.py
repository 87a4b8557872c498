"""MLP-Mixer on 8x8 digits, orthogonalised momentum for matrices, Adam for the rest."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from data import digits_patches

SEED = 1337
EPOCHS = 10
BS = 64
LR_MAT = 0.02
LR_VEC = 2e-3

torch.manual_seed(SEED)
torch.set_num_threads(1)


def newton_schulz(G, steps=5):
    a, b, c = 3.4445, -4.7750, 2.0315
    X = G / (G.norm() + 1e-7)
    tall = X.size(0) > X.size(1)
    if tall:
        X = X.T
    for _ in range(steps):
        A = X @ X.T
        X = a * X + (b * A + c * A @ A) @ X
    return X.T if tall else X


class Muon(torch.optim.Optimizer):
    """2D params: momentum -> Newton-Schulz -> step. Everything else: Adam."""

    def __init__(self, params, lr=0.02, momentum=0.9, lr_vec=1e-3, betas=(0.9, 0.95), eps=1e-8):
        super().__init__(params, dict(lr=lr, momentum=momentum, lr_vec=lr_vec, betas=betas, eps=eps, scale=1.0))

    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if p.ndim == 2:
                    if not st:
                        st["m"] = torch.zeros_like(p)
                    st["m"].mul_(g["momentum"]).add_(p.grad)
                    u = newton_schulz(p.grad + g["momentum"] * st["m"])
                    u = u * max(1.0, p.size(0) / p.size(1)) ** 0.5
                    p.add(u, alpha=-g["lr"] * g["scale"])
                else:
                    if not st:
                        st["t"], st["m"], st["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                    st["t"] += 1
                    b1, b2 = g["betas"]
                    st["m"].lerp_(p.grad, 1 - b1)
                    st["v"].lerp_(p.grad.square(), 1 - b2)
                    mh = st["m"] / (1 - b1 ** st["t"])
                    vh = st["v"] / (1 - b2 ** st["t"])
                    p.addcdiv_(mh, vh.sqrt() + g["eps"], value=-g["lr_vec"] * g["scale"])


class Block(nn.Module):
    def __init__(self, n, d, exp=2):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.tok = nn.Sequential(nn.Linear(n, n * exp), nn.GELU(), nn.Linear(n * exp, n))
        self.ch = nn.Sequential(nn.Linear(d, d * exp), nn.GELU(), nn.Linear(d * exp, d))

    def forward(self, x):
        x = x + self.tok(self.n1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.ch(self.n2(x))


class Mixer(nn.Module):
    def __init__(self, n=16, pd=4, d=32, depth=2, classes=10):
        super().__init__()
        self.emb = nn.Linear(pd, d)
        self.blocks = nn.Sequential(*[Block(n, d) for _ in range(depth)])
        self.norm = nn.LayerNorm(d)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(d, classes)

    def forward(self, x):
        return self.head(self.drop(self.norm(self.blocks(self.emb(x))).mean(1)))


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    z = model(x)
    model.train()
    return F.cross_entropy(z, y).item(), (z.argmax(-1) == y).float().mean().item()


xtr, ytr, xva, yva = digits_patches(SEED)
model = Mixer()
opt = Muon(model.parameters(), lr=LR_MAT, lr_vec=LR_VEC)
steps = EPOCHS * (len(xtr) // BS)
print(f"{sum(p.numel() for p in model.parameters())} params, {steps} steps")

it = 0
for ep in range(EPOCHS):
    perm = torch.randperm(len(xtr))
    tot = n = 0
    for i in range(len(xtr) // BS):
        idx = perm[i * BS:(i + 1) * BS]
        loss = F.cross_entropy(model(xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.param_groups[0]["scale"] = min(1.0, (it + 1) / 20, max(0.02, 2 * (1 - it / steps)))
        opt.step()
        tot, n, it = tot + loss.item(), n + 1, it + 1
    vl, va = evaluate(model, xva, yva)
    print(f"ep {ep:2d}  train {tot / n:.4f}  val {vl:.4f}  acc {va:.3f}")
