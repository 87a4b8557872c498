# VQ autoencoder on little 16x16 glyphs, discrete 4x4 latent grid
import argparse

import torch
from torch import nn
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument('--codes', type=int, default=32)
p.add_argument('--dim', type=int, default=8)
p.add_argument('--beta', type=float, default=0.25)
p.add_argument('--lr', type=float, default=2e-3)
p.add_argument('--bs', type=int, default=32)
p.add_argument('--steps', type=int, default=500)
args = p.parse_args()

torch.manual_seed(3)


def draw(n, g):
    ys, xs = torch.meshgrid(torch.arange(16.), torch.arange(16.), indexing='ij')
    img = torch.zeros(n, 16, 16)
    for _ in range(2):
        cx = torch.randint(3, 13, (n, 1, 1), generator=g).float()
        cy = torch.randint(3, 13, (n, 1, 1), generator=g).float()
        w = torch.randint(2, 5, (n, 1, 1), generator=g).float()
        kind = torch.randint(0, 2, (n, 1, 1), generator=g)
        box = ((xs - cx).abs() <= w) & ((ys - cy).abs() <= w)
        disc = (xs - cx) ** 2 + (ys - cy) ** 2 <= w ** 2
        shade = 0.4 + 0.6 * torch.rand(n, 1, 1, generator=g)
        img = torch.where(torch.where(kind == 1, box, disc), shade, img)
    return img[:, None]


class Quantizer(nn.Module):
    def __init__(self, n_codes, dim, beta):
        super().__init__()
        self.book = nn.Embedding(n_codes, dim)
        nn.init.normal_(self.book.weight, std=0.3)
        self.beta = beta

    def forward(self, z):
        b, d, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, d)
        idx = torch.cdist(flat, self.book.weight).argmin(1)
        q = self.book(idx).view(b, h, w, d).permute(0, 3, 1, 2)
        vq = F.mse_loss(q, z.detach()) + self.beta * F.mse_loss(z, q.detach())
        out = q + (z - q).detach()
        return out, vq, idx

    @torch.no_grad()
    def revive(self, z, used):
        # codes nobody picked lately restart at random encoder outputs
        dead = (used == 0).nonzero().flatten()
        flat = z.permute(0, 2, 3, 1).reshape(-1, z.shape[1])
        self.book.weight[dead] = flat[torch.randperm(len(flat))[:len(dead)]]


class VQAE(nn.Module):
    def __init__(self, n_codes, dim, beta):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(),
            nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU(),
            nn.Conv2d(32, dim, 1))
        self.vq = Quantizer(n_codes, dim, beta)
        self.dec = nn.Sequential(
            nn.Conv2d(dim, 32, 3, 1, 1), nn.ReLU(),
            nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 4, 2, 1))

    def forward(self, x):
        q, vq, idx = self.vq(self.enc(x))
        return self.dec(q), vq, idx


g = torch.Generator().manual_seed(11)
train_x, val_x = draw(3000, g), draw(400, g)
print('pixel variance', round(val_x.var().item(), 4))

net = VQAE(args.codes, args.dim, args.beta)
opt = torch.optim.Adam(net.parameters(), lr=args.lr)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.steps)


@torch.no_grad()
def evaluate():
    net.eval()
    rec, _, idx = net(val_x)
    freq = torch.bincount(idx, minlength=args.codes).float()
    freq = freq / freq.sum()
    perp = torch.exp(-(freq * (freq + 1e-10).log()).sum())
    net.train()
    return F.mse_loss(rec, val_x).item(), perp.item()


step = 0
used = torch.zeros(args.codes)
while step < args.steps:
    for sel in torch.randperm(len(train_x)).split(args.bs):
        x = train_x[sel]
        rec, vq, idx = net(x)
        loss = F.mse_loss(rec, x) * 10 + vq
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        step += 1
        used += torch.bincount(idx, minlength=args.codes)
        if step % 20 == 0 and step <= args.steps // 2:
            with torch.no_grad():
                net.vq.revive(net.enc(x), used)
            used.zero_()
        if step % 50 == 0:
            mse, perp = evaluate()
            print(f'{step:5d} loss {loss.item():.4f} val_mse {mse:.4f} perplexity {perp:.1f}')
        if step >= args.steps:
            break

mse, perp = evaluate()
print(f'done. explained variance on held-out glyphs: {1 - mse / val_x.var().item():.3f}')
