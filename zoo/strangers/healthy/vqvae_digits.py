import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


class Codebook(nn.Module):
    """Vector quantiser with exponential-moving-average codes, data seeding and dead-code revival."""

    def __init__(self, k, d, decay=0.97, beta=0.25):
        super().__init__()
        self.k, self.decay, self.beta = k, decay, beta
        w = torch.randn(k, d)
        self.register_buffer("codes", w)
        self.register_buffer("count", torch.ones(k))
        self.register_buffer("total", w.clone())
        self.register_buffer("seeded", torch.tensor(False))

    def forward(self, z):                                  # z: [B, D, H, W]
        flat = z.permute(0, 2, 3, 1).reshape(-1, z.shape[1])
        if self.training and not self.seeded:
            with torch.no_grad():
                self.codes.copy_(flat[torch.randperm(len(flat))[: self.k]])
                self.total.copy_(self.codes)
                self.seeded.fill_(True)
        ids = torch.cdist(flat, self.codes).argmin(1)
        q = self.codes[ids]
        if self.training:
            with torch.no_grad():
                hot = F.one_hot(ids, self.k).type_as(flat)
                self.count.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
                self.total.mul_(self.decay).add_(hot.T @ flat, alpha=1 - self.decay)
                self.codes.copy_(self.total / self.count.clamp(min=1e-3).unsqueeze(1))
                dead = self.count < 0.05
                if dead.any():
                    pick = flat[torch.randint(len(flat), (int(dead.sum()),))]
                    self.codes[dead] = pick
                    self.total[dead] = pick
                    self.count[dead] = 1.0
        commit = self.beta * F.mse_loss(flat, q.detach())
        q = flat + (q - flat).detach()
        B, D, H, W = z.shape
        return q.view(B, H, W, D).permute(0, 3, 1, 2), ids.view(B, H, W), commit


class VQVAE(nn.Module):
    def __init__(self, k=32, d=8, c=32):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.ReLU(),
                                 nn.Conv2d(c, c, 4, stride=2, padding=1), nn.ReLU(),
                                 nn.Conv2d(c, d, 1))
        self.vq = Codebook(k, d)
        self.dec = nn.Sequential(nn.Conv2d(d, c, 3, padding=1), nn.ReLU(),
                                 nn.ConvTranspose2d(c, c, 4, stride=2, padding=1), nn.ReLU(),
                                 nn.Conv2d(c, 1, 3, padding=1))

    def forward(self, x):
        q, ids, commit = self.vq(self.enc(x))
        return self.dec(q), ids, commit


def perplexity(ids, k):
    p = torch.bincount(ids.flatten(), minlength=k).float()
    p = p / p.sum()
    return torch.exp(-(p * (p + 1e-10).log()).sum()).item()


@torch.no_grad()
def inspect(net, x):
    net.eval()
    rec, ids, _ = net(x)
    mse = F.mse_loss(rec, x).item()
    return mse, perplexity(ids, net.vq.k), rec


def ascii_pair(a, b):
    ramp = " .:-=+*#%@"
    to = lambda r: "".join(ramp[int(v)] for v in (r.clamp(0, 1) * 9).round())
    for ra, rb in zip(a, b):
        print("      ", to(ra), "  |  ", to(rb))


def main():
    torch.manual_seed(14)
    imgs = torch.tensor(load_digits().images / 16.0, dtype=torch.float32).unsqueeze(1)
    tr, te = train_test_split(imgs, test_size=0.2, random_state=14)
    loader = DataLoader(TensorDataset(tr), batch_size=64, shuffle=True)
    net = VQVAE()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    epochs = 20
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    trivial = F.mse_loss(tr.mean(0, keepdim=True).expand_as(te), te).item()
    print(f"pixel-mean reconstruction has test mse {trivial:.4f}")
    for ep in range(1, epochs + 1):
        net.train()
        acc = {"rec": 0.0, "commit": 0.0}
        for (x,) in loader:
            rec, _, commit = net(x)
            r = F.mse_loss(rec, x)
            opt.zero_grad()
            (r + commit).backward()
            opt.step()
            acc["rec"] += r.item() * len(x)
            acc["commit"] += commit.item() * len(x)
        sched.step()
        if ep % 5 == 0 or ep == 1:
            m, ppl, _ = inspect(net, te)
            print("ep", ep, {k: round(v / len(tr), 5) for k, v in acc.items()}, f"test-mse {m:.5f} code-ppl {ppl:.1f}/32")
    m, ppl, rec = inspect(net, te)
    ascii_pair(te[0, 0], rec[0, 0])
    print(f"FINAL test mse {m:.5f} ({m / trivial:.1%} of the trivial one), 16 tokens per digit, perplexity {ppl:.1f}")


if __name__ == "__main__":
    main()
