# Contrastive pre-training on unlabelled waveforms, then a frozen encoder with a linear probe.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

SEED = 2
LENGTH = 96
N_KINDS = 6


def waves(n, gen):
    """Six kinds of wave (three shapes, slow or fast) with random phase, gain and noise."""
    kind = torch.randint(0, N_KINDS, (n,), generator=gen)
    cycles = torch.where(kind % 2 == 0, 3.0, 6.0) * (0.9 + 0.2 * torch.rand(n, generator=gen))
    phase = torch.rand(n, 1, generator=gen)
    t = torch.linspace(0, 1, LENGTH) * cycles.unsqueeze(1) + phase
    frac = t - t.floor()
    shapes = torch.stack([torch.sin(2 * torch.pi * t), (frac < 0.5).float() * 2 - 1, 2 * frac - 1], dim=1)
    x = shapes[torch.arange(n), kind // 2]
    gain = 0.7 + 0.6 * torch.rand(n, 1, generator=gen)
    return (gain * x + 0.25 * torch.randn(n, LENGTH, generator=gen)).unsqueeze(1), kind


def augment(x):
    n = len(x)
    shift = torch.randint(0, LENGTH, (n, 1))
    index = (torch.arange(LENGTH) + shift) % LENGTH
    x = x.gather(2, index.unsqueeze(1))
    x = x * torch.empty(n, 1, 1).uniform_(0.6, 1.4)
    start = torch.randint(0, LENGTH - 16, (n, 1))
    pos = torch.arange(LENGTH)
    keep = ~((pos >= start) & (pos < start + 16))
    return x * keep.unsqueeze(1) + 0.15 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(1, 16, 9, stride=2, padding=4), nn.BatchNorm1d(16), nn.ReLU(),
            nn.Conv1d(16, 32, 7, stride=2, padding=3), nn.BatchNorm1d(32), nn.ReLU(),
            nn.Conv1d(32, dim, 5, stride=2, padding=2), nn.BatchNorm1d(dim), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )

    def forward(self, x):
        return self.body(x)


def nt_xent(z1, z2, temperature=0.2):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.T / temperature
    sim.fill_diagonal_(float("-inf"))
    n = len(z1)
    partner = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, partner)


@torch.no_grad()
def embed(encoder, x):
    encoder.eval()
    return torch.cat([encoder(part) for part in x.split(500)])


def linear_probe(feat, y, steps=300):
    mean, std = feat.mean(0), feat.std(0) + 1e-5
    probe = nn.Linear(feat.shape[1], N_KINDS)
    opt = torch.optim.Adam(probe.parameters(), lr=0.02, weight_decay=1e-4)
    scaled = (feat - mean) / std
    for _ in range(steps):
        opt.zero_grad()
        F.cross_entropy(probe(scaled), y).backward()
        opt.step()
    return lambda f: probe((f - mean) / std).argmax(dim=1)


def probe_accuracy(encoder, x_lab, y_lab, x_eval, y_eval):
    predict = linear_probe(embed(encoder, x_lab), y_lab)
    with torch.no_grad():
        return (predict(embed(encoder, x_eval)) == y_eval).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(SEED)
    gen = torch.Generator().manual_seed(SEED)
    unlabelled, _ = waves(4096, gen)
    x_lab, y_lab = waves(180, gen)
    x_test, y_test = waves(1500, gen)

    encoder, projector = Encoder(), nn.Sequential(nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 24))
    print(f"probe on an untrained encoder: {probe_accuracy(encoder, x_lab, y_lab, x_test, y_test):.3f}")

    loader = DataLoader(TensorDataset(unlabelled), batch_size=128, shuffle=True, drop_last=True)
    params = [*encoder.parameters(), *projector.parameters()]
    opt = torch.optim.AdamW(params, lr=2e-3, weight_decay=1e-4)
    epochs = 14
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=2e-3, total_steps=epochs * len(loader), pct_start=0.1)

    for epoch in range(1, epochs + 1):
        encoder.train()
        projector.train()
        total = 0.0
        for (x,) in loader:
            loss = nt_xent(projector(encoder(augment(x))), projector(encoder(augment(x))))
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        if epoch % 2 == 0:
            print(f"epoch {epoch:2d}  nt-xent {total / len(loader):.4f}  (chance {torch.tensor(255.0).log():.2f})")

    encoder.requires_grad_(False)
    print(f"probe on the pre-trained encoder, 180 labels: {probe_accuracy(encoder, x_lab, y_lab, x_test, y_test):.3f}")
