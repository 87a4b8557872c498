import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F

# String transduction: read a symbol string, write it backwards, advancing every other symbol by three.

parser = argparse.ArgumentParser()
parser.add_argument("--symbols", type=int, default=10)
parser.add_argument("--length", type=int, default=10)
parser.add_argument("--dim", type=int, default=48)
parser.add_argument("--heads", type=int, default=4)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--epochs", type=int, default=7)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--seed", type=int, default=0)
opt = parser.parse_args()


def make_pairs(n, gen):
    src = torch.randint(0, opt.symbols, (n, opt.length), generator=gen)
    tgt = src.flip(1).clone()
    tgt[:, ::2] = (tgt[:, ::2] + 3) % opt.symbols
    return src, tgt


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def split(self, x):
        b, t, _ = x.shape
        x = x.view(b, t, self.heads, self.head_dim)
        return x.permute(2, 0, 1, 3).reshape(self.heads * b, t, self.head_dim)

    def merge(self, x, b):
        t = x.shape[1]
        x = x.view(b, self.heads, t, self.head_dim)
        return x.permute(0, 2, 1, 3).reshape(b, t, -1)

    def forward(self, x):
        q, k, v = (self.split(part) for part in self.qkv(x).chunk(3, dim=-1))
        weights = (q @ k.transpose(1, 2) / self.head_dim ** 0.5).softmax(-1)
        return self.proj(self.merge(weights @ v, len(x)))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.ff(self.norm2(x))


class Transducer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(opt.symbols, opt.dim)
        self.pos = nn.Parameter(0.5 * torch.randn(opt.length, opt.dim))
        self.layers = nn.Sequential(*[Layer(opt.dim, opt.heads) for _ in range(opt.layers)])
        self.norm = nn.LayerNorm(opt.dim)
        self.out = nn.Linear(opt.dim, opt.symbols)

    def forward(self, src):
        return self.out(self.norm(self.layers(self.tok(src) + self.pos)))


def main():
    torch.manual_seed(opt.seed)
    gen = torch.Generator().manual_seed(opt.seed + 100)
    train_src, train_tgt = make_pairs(3000, gen)
    val_src, val_tgt = make_pairs(500, gen)
    model = Transducer()
    optim = torch.optim.AdamW(model.parameters(), lr=opt.lr, weight_decay=0.01)
    steps = opt.epochs * -(-len(train_src) // opt.batch)
    sched = torch.optim.lr_scheduler.OneCycleLR(optim, max_lr=opt.lr, total_steps=steps)

    for epoch in range(opt.epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(train_src)).split(opt.batch):
            logits = model(train_src[idx])
            loss = F.cross_entropy(logits.flatten(0, 1), train_tgt[idx].flatten())
            optim.zero_grad()
            loss.backward()
            optim.step()
            sched.step()
            total += loss.item() * len(idx)
        model.eval()
        with torch.no_grad():
            logits = model(val_src)
        val_loss = F.cross_entropy(logits.flatten(0, 1), val_tgt.flatten()).item()
        acc = (logits.argmax(-1) == val_tgt).float().mean().item()
        print(f"epoch {epoch + 1:2d} | train {total / len(train_src):.4f} | val {val_loss:.4f} | symbol acc {acc:.4f}")


if __name__ == "__main__":
    main()
