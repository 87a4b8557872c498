"""Keyword spotting on synthetic chirps: log spectrograms, bf16 autocast, gradient accumulation."""
import logging
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s",
                    datefmt="%H:%M:%S")
log = logging.getLogger("kws")

SR, SECONDS = 4000, 0.5
WORDS = ["up", "down", "yes", "no", "background"]
SHARE = torch.tensor([0.1, 0.1, 0.1, 0.1, 0.6])
ACCUM = 4


def synth(word: int, g: torch.Generator) -> torch.Tensor:
    n = int(SR * SECONDS)
    t = torch.arange(n) / SR
    u = lambda a, b: a + (b - a) * torch.rand((), generator=g)
    f0, span = u(350, 700), u(250, 600)
    centre = u(0.2, 0.3)
    env = torch.exp(-0.5 * ((t - centre) / u(0.06, 0.1)) ** 2)
    ramp = (t / SECONDS).clamp(0, 1)
    if word == 0:
        freq = f0 + span * ramp
    elif word == 1:
        freq = f0 + span * (1 - ramp)
    elif word == 2:
        freq = f0 + span * (2 * ramp - 1).abs()
    elif word == 3:
        freq = f0 + span * (1 - (2 * ramp - 1).abs())
    else:
        freq = torch.full_like(t, f0.item()) + 40 * torch.randn((), generator=g)
        env = env * (torch.rand((), generator=g) < 0.5)
    phase = 2 * torch.pi * torch.cumsum(freq, 0) / SR
    wave = env * (torch.sin(phase) + 0.4 * torch.sin(2 * phase))
    return wave + u(0.4, 1.2) * torch.randn(n, generator=g)


class Clips(Dataset):
    """Spectrograms are computed once; time/frequency masking happens on access in training."""

    def __init__(self, n: int, seed: int, augment: bool):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.multinomial(SHARE, n, replacement=True, generator=g)
        waves = torch.stack([synth(int(k), g) for k in self.y])
        spec = torch.stft(waves, 128, hop_length=50, window=torch.hann_window(128), return_complex=True).abs()
        self.x = torch.log(spec[:, 4:52] + 1e-3)
        self.augment = augment

    def standardise(self, mean, std):
        self.x = (self.x - mean) / std
        return self

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = self.x[i]
        if self.augment:
            x = x.clone()
            f, t = torch.randint(0, 44, (1,)).item(), torch.randint(0, 36, (1,)).item()
            x[f:f + 4] = 0.0
            x[:, t:t + 4] = 0.0
        return x.unsqueeze(0), self.y[i]


def build_model() -> nn.Module:
    def conv(i, o, stride):
        return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1), nn.GroupNorm(4, o), nn.GELU())
    return nn.Sequential(conv(1, 16, 2), conv(16, 32, 2), conv(32, 32, 2), nn.Flatten(),
                         nn.Dropout(0.2), nn.Linear(32 * 6 * 6, len(WORDS)))


@torch.no_grad()
def balanced_accuracy(model, loader):
    model.eval()
    hit, cnt = torch.zeros(len(WORDS)), torch.zeros(len(WORDS))
    for x, y in loader:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            pred = model(x).argmax(1)
        hit += torch.bincount(y[pred == y], minlength=len(WORDS))
        cnt += torch.bincount(y, minlength=len(WORDS))
    return (hit / cnt).mean().item()


def main():
    torch.manual_seed(123)
    train, val = Clips(2000, 1, True), Clips(600, 2, False)
    mean, std = train.x.mean((0, 2), keepdim=True)[0], train.x.std((0, 2), keepdim=True)[0]
    train.standardise(mean, std)
    val.standardise(mean, std)

    freq = torch.bincount(train.y, minlength=len(WORDS)).float()
    sampler = WeightedRandomSampler((1 / freq)[train.y], num_samples=len(train), replacement=True)
    train_dl = DataLoader(train, batch_size=16, sampler=sampler)
    val_dl = DataLoader(val, batch_size=200, shuffle=False)
    log.info("class counts %s", dict(zip(WORDS, freq.int().tolist())))

    model = build_model()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    criterion = nn.CrossEntropyLoss()
    epochs = 6
    for epoch in range(epochs):
        model.train()
        running = 0.0
        n_micro = len(train_dl)
        for i, (x, y) in enumerate(train_dl):
            group_start = i - i % ACCUM
            group = min(ACCUM, n_micro - group_start)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                out = model(x)
            loss = criterion(out.float(), y)
            (loss / group).backward()
            running += loss.item()
            if (i + 1) % ACCUM == 0 or i + 1 == n_micro:
                nn.utils.clip_grad_norm_(model.parameters(), 2.0)
                opt.step()
                opt.zero_grad(set_to_none=True)
        log.info("epoch %d loss %.4f balanced val acc %.4f", epoch, running / n_micro,
                 balanced_accuracy(model, val_dl))
    log.info("final balanced accuracy %.4f, guessing %.4f", balanced_accuracy(model, val_dl), 1 / len(WORDS))


if __name__ == "__main__":
    main()
