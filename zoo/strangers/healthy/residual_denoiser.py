"""Speech-band denoiser. The network predicts a correction to the noisy waveform; its last layer starts at zero so that
training begins at the identity. Trained with a waveform and a spectral term, gradients accumulated over micro-batches,
and an exponential moving average of the weights is what gets deployed."""
import json
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class RunConfig:
    seed: int = 31
    clips: int = 760
    samples: int = 512
    width: int = 16
    micro_batch: int = 8
    accumulate: int = 4
    epochs: int = 6
    lr: float = 3e-3
    spectral_weight: float = 0.1
    ema_decay: float = 0.97


def voiced(n: int, length: int, gen: torch.Generator) -> Tensor:
    t = torch.arange(length) / 4000
    f0 = 100 + 120 * torch.rand(n, 1, generator=gen)
    gains = torch.rand(n, 5, generator=gen) / torch.arange(1, 6)
    phases = 6.283 * torch.rand(n, 5, generator=gen)
    partials = [gains[:, k:k + 1] * torch.sin(6.283 * (k + 1) * f0 * t + phases[:, k:k + 1]) for k in range(5)]
    wave = torch.stack(partials).sum(0)
    return wave / wave.std(dim=1, keepdim=True)


def corrupt(clean: Tensor, gen: torch.Generator) -> Tensor:
    hiss = 0.6 * torch.randn(clean.shape, generator=gen)
    clicks = 2.5 * torch.randn(clean.shape, generator=gen) * (torch.rand(clean.shape, generator=gen) < 0.01)
    return clean + hiss + clicks


class ConvUnit(nn.Module):
    def __init__(self, width: int, dilation: int):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation)

    def forward(self, x: Tensor) -> Tensor:
        return x + F.leaky_relu(self.conv(x), 0.1)


class Denoiser(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.inp = nn.Conv1d(1, width, 9, padding=4)
        self.units = nn.Sequential(*(ConvUnit(width, d) for d in (1, 2, 4, 8)))
        self.out = nn.Conv1d(width, 1, 9, padding=4)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, noisy: Tensor) -> Tensor:
        return noisy + self.out(self.units(self.inp(noisy.unsqueeze(1)))).squeeze(1)


def spectrum(x: Tensor) -> Tensor:
    s = torch.stft(x, 128, hop_length=64, window=torch.hann_window(128), return_complex=True)
    return torch.log1p(s.abs())


def objective(estimate: Tensor, clean: Tensor, cfg: RunConfig) -> Tensor:
    return F.l1_loss(estimate, clean) + cfg.spectral_weight * F.l1_loss(spectrum(estimate), spectrum(clean))


@torch.no_grad()
def snr_db(model: nn.Module, noisy: Tensor, clean: Tensor) -> float:
    model.eval()
    error = (model(noisy) - clean).square().mean(dim=1)
    return (10 * torch.log10(clean.square().mean(dim=1) / error)).mean().item()


def main(cfg: RunConfig) -> None:
    print(json.dumps(asdict(cfg)))
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    clean = voiced(cfg.clips, cfg.samples, gen)
    noisy = corrupt(clean, gen)
    a, b = cfg.clips - 160, cfg.clips - 80
    loader = DataLoader(TensorDataset(noisy[:a], clean[:a]), batch_size=cfg.micro_batch, shuffle=True)

    model = Denoiser(cfg.width)
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(cfg.ema_decay))
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    print(f"before: valid SNR {snr_db(model, noisy[a:b], clean[a:b]):.2f} dB")

    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        optimizer.zero_grad()
        for i, (x, y) in enumerate(loader):
            group_start = i - i % cfg.accumulate
            group_size = min(cfg.accumulate, len(loader) - group_start)
            loss = objective(model(x), y, cfg)
            (loss / group_size).backward()
            total += loss.item() * len(x)
            if (i + 1) % cfg.accumulate == 0 or i + 1 == len(loader):
                optimizer.step()
                optimizer.zero_grad()
                ema.update_parameters(model)
        print(f"epoch {epoch + 1}: loss {total / a:.4f}  valid SNR {snr_db(ema, noisy[a:b], clean[a:b]):.2f} dB")

    print(f"test SNR {snr_db(ema, noisy[b:], clean[b:]):.2f} dB")


if __name__ == "__main__":
    main(RunConfig())
