"""1-D CNN on photon-count spectra: which element is in the sample?"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 5
N_BINS = 64
N_CLASSES = 5
CFG = dict(n=3600, epochs=8, batch=64, lr=2e-3, width=16)


def simulate(n, rng):
    """Counts per energy bin: falling background plus two lines whose place gives the element."""
    bins = np.arange(N_BINS)
    line_a = np.array([12, 12, 20, 20, 28])
    line_b = np.array([40, 50, 40, 50, 45])
    y = rng.integers(0, N_CLASSES, n)
    shift = rng.normal(0, 0.8, n)
    gain = rng.lognormal(0.0, 0.5, n)
    background = 120.0 * np.exp(-bins / 18.0)[None, :] * rng.uniform(0.6, 1.4, (n, 1))

    def peak(centre, amp):
        return amp[:, None] * np.exp(-0.5 * ((bins[None, :] - centre[:, None]) / 1.6) ** 2)

    signal = peak(line_a[y] + shift, rng.uniform(20, 50, n)) + peak(line_b[y] + shift, rng.uniform(4, 10, n))
    counts = rng.poisson(gain[:, None] * (background + signal))
    return counts.astype(np.float64), y


class Standardiser:
    def fit(self, x):
        self.mean = x.mean()
        self.std = x.std()
        return self

    def __call__(self, x):
        return torch.tensor((x - self.mean) / self.std, dtype=torch.float32).unsqueeze(1)


def conv(c_in, c_out, stride):
    return nn.Sequential(nn.Conv1d(c_in, c_out, 5, stride=stride, padding=2), nn.BatchNorm1d(c_out), nn.ReLU())


class SpectrumNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(conv(1, width, 1), conv(width, 2 * width, 2), conv(2 * width, 2 * width, 2))
        self.drop = nn.Dropout(0.4)
        self.fc = nn.Linear(2 * width * (N_BINS // 4), N_CLASSES)

    def forward(self, x):
        return self.fc(self.drop(self.body(x).flatten(1)))


def train_one_epoch(net, opt, x, y, batch, gen):
    net.train()
    losses, hits = 0.0, 0
    for idx in torch.randperm(len(x), generator=gen).split(batch):
        out = net(x[idx])
        loss = F.cross_entropy(out, y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses += loss.item() * len(idx)
        hits += (out.argmax(1) == y[idx]).sum().item()
    return losses / len(x), hits / len(x)


@torch.no_grad()
def evaluate(net, x, y):
    net.eval()
    out = net(x)
    return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    gen = torch.Generator().manual_seed(SEED)

    counts, labels = simulate(CFG["n"], rng)
    labels = torch.tensor(labels)
    a, b = int(0.7 * CFG["n"]), int(0.85 * CFG["n"])

    log_train = np.log1p(counts[:a])
    scale = Standardiser().fit(log_train)
    x_train, y_train = scale(log_train), labels[:a]
    x_val, y_val = scale(counts[a:b]), labels[a:b]
    x_test, y_test = scale(counts[b:]), labels[b:]

    net = SpectrumNet(CFG["width"])
    opt = torch.optim.AdamW(net.parameters(), lr=CFG["lr"], weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=CFG["epochs"], eta_min=1e-5)
    for epoch in range(CFG["epochs"]):
        tl, ta = train_one_epoch(net, opt, x_train, y_train, CFG["batch"], gen)
        sched.step()
        vl, va = evaluate(net, x_val, y_val)
        print(f"[{epoch + 1:02d}/{CFG['epochs']}] train {tl:.4f} / {ta:.3f}   val {vl:.4f} / {va:.3f}")

    loss, acc = evaluate(net, x_test, y_test)
    print(f"held-out spectra: loss {loss:.4f}  accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
