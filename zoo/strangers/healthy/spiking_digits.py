"""
Leaky integrate-and-fire network trained with a fast-sigmoid surrogate,
handwritten digits encoded as Poisson spike trains.
"""
from dataclasses import dataclass
import torch, torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class Cfg:
    ticks: int = 20
    hidden: int = 96
    beta: float = 0.9
    slope: float = 10.0
    lr: float = 2e-3
    epochs: int = 12
    batch: int = 64
    rate_reg: float = 0.05
    seed: int = 1


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v, slope):
        ctx.save_for_backward(v)
        ctx.slope = slope
        return (v > 0).to(v.dtype)

    @staticmethod
    def backward(ctx, g):
        (v,) = ctx.saved_tensors
        return g / (1 + ctx.slope * v.abs()) ** 2, None


class LIFNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.syn1 = nn.Linear(64, cfg.hidden)
        self.syn2 = nn.Linear(cfg.hidden, 10)
        self.decay_logit = nn.Parameter(torch.logit(torch.full((cfg.hidden,), cfg.beta)))

    def forward(self, spikes):                       # [T, B, 64]
        B = spikes.shape[1]
        v1 = spikes.new_zeros(B, self.cfg.hidden)
        v2 = spikes.new_zeros(B, 10)
        beta = torch.sigmoid(self.decay_logit)
        read, fired = 0, 0
        for s in spikes:
            v1 = beta * v1 + self.syn1(s)
            z = Spike.apply(v1 - 1.0, self.cfg.slope)
            v1 = v1 - z.detach()                     # soft reset
            v2 = self.cfg.beta * v2 + self.syn2(z)
            read = read + v2
            fired = fired + z
        T = len(spikes)
        return read / T, fired / T


def encode(intensity, ticks, gen):
    p = intensity.unsqueeze(0).expand(ticks, -1, -1)
    return torch.bernoulli(p, generator=gen)


def evaluate(net, X, y, cfg):
    net.eval()
    gen = torch.Generator().manual_seed(12345)
    with torch.no_grad():
        out, rate = net(encode(X, cfg.ticks, gen))
    return (out.argmax(1) == y).float().mean().item(), rate.mean().item()


def run(cfg):
    torch.manual_seed(cfg.seed)
    d = load_digits()
    X = torch.tensor(d.data / 16.0, dtype=torch.float32)
    y = torch.tensor(d.target)
    i_tr, i_te = train_test_split(range(len(y)), test_size=0.25, stratify=d.target, random_state=cfg.seed)
    Xtr, ytr, Xte, yte = X[i_tr], y[i_tr], X[i_te], y[i_te]
    net = LIFNet(cfg)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3 * cfg.lr, epochs=cfg.epochs,
                                                steps_per_epoch=-(-len(ytr) // cfg.batch))
    gen = torch.Generator().manual_seed(cfg.seed)
    print(cfg)
    for ep in range(cfg.epochs):
        net.train()
        ce_sum = hits = 0
        for idx in torch.randperm(len(ytr), generator=gen).split(cfg.batch):
            out, rate = net(encode(Xtr[idx], cfg.ticks, gen))
            ce = nn.functional.cross_entropy(out, ytr[idx])
            loss = ce + cfg.rate_reg * (rate.mean() - 0.1).clamp(min=0)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            sched.step()
            ce_sum += ce.item() * len(idx)
            hits += (out.argmax(1) == ytr[idx]).sum().item()
        print(f"epoch {ep + 1:02d}  ce={ce_sum / len(ytr):.4f}  train={hits / len(ytr):.4f}")
    acc, rate = evaluate(net, Xte, yte, cfg)
    print(f"test accuracy {acc:.4f} with mean hidden firing rate {rate:.3f} spikes/tick")


if __name__ == "__main__":
    run(Cfg())
