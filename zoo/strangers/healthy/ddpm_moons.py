"""Denoising diffusion on two-dimensional moons, with an EMA copy for sampling."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_moons
from sklearn.preprocessing import StandardScaler


@dataclass(frozen=True)
class Config:
    timesteps: int = 100
    width: int = 128
    batch: int = 256
    steps: int = 3000
    lr: float = 2e-3
    ema_decay: float = 0.995
    seed: int = 8


class NoiseSchedule:
    def __init__(self, timesteps):
        self.betas = torch.linspace(1e-3, 0.1, timesteps)
        self.alphas = 1.0 - self.betas
        self.abar = torch.cumprod(self.alphas, dim=0)

    def diffuse(self, x0, t, noise):
        a = self.abar[t].unsqueeze(1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise


class Denoiser(nn.Module):
    def __init__(self, width, timesteps):
        super().__init__()
        self.register_buffer("freqs", 2.0 ** torch.arange(4) * np.pi)
        self.timesteps = timesteps
        self.net = nn.Sequential(
            nn.Linear(2 + 12 + 8, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, 2),
        )

    def forward(self, x, t):
        phase = (t.float() / self.timesteps).unsqueeze(1) * self.freqs
        waves = torch.cat([k * x for k in (1.0, 2.0, 4.0)], dim=1)
        return self.net(torch.cat([x, waves.sin(), waves.cos(), phase.sin(), phase.cos()], dim=1))


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)


@torch.no_grad()
def sample(model, schedule, n):
    x = torch.randn(n, 2)
    for t in reversed(range(len(schedule.betas))):
        tt = torch.full((n,), t)
        eps = model(x, tt)
        mean = (x - schedule.betas[t] / (1 - schedule.abar[t]).sqrt() * eps) / schedule.alphas[t].sqrt()
        if t == 0:
            return mean
        var = schedule.betas[t] * (1 - schedule.abar[t - 1]) / (1 - schedule.abar[t])
        x = mean + var.sqrt() * torch.randn_like(x)


def mmd(a, b, scale=0.5):
    def k(u, v):
        return torch.exp(-torch.cdist(u, v).pow(2) / (2 * scale ** 2)).mean()
    return (k(a, a) + k(b, b) - 2 * k(a, b)).item()


@torch.no_grad()
def noise_error(model, schedule, x0, rounds=5):
    total = 0.0
    for _ in range(rounds):
        t = torch.randint(0, len(schedule.betas), (len(x0),))
        noise = torch.randn_like(x0)
        total += (model(schedule.diffuse(x0, t, noise), t) - noise).pow(2).mean().item()
    return total / rounds


def main(cfg=Config()):
    torch.manual_seed(cfg.seed)
    train_np, _ = make_moons(8000, noise=0.05, random_state=cfg.seed)
    test_np, _ = make_moons(1500, noise=0.05, random_state=cfg.seed + 1)
    scaler = StandardScaler().fit(train_np)
    train = torch.tensor(scaler.transform(train_np), dtype=torch.float32)
    test = torch.tensor(scaler.transform(test_np), dtype=torch.float32)

    schedule = NoiseSchedule(cfg.timesteps)
    model = Denoiser(cfg.width, cfg.timesteps)
    ema = EMA(model, cfg.ema_decay)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.steps)

    recent = []
    for step in range(1, cfg.steps + 1):
        x0 = train[torch.randint(0, len(train), (cfg.batch,))]
        t = torch.randint(0, cfg.timesteps, (cfg.batch,))
        noise = torch.randn_like(x0)
        loss = (model(schedule.diffuse(x0, t, noise), t) - noise).pow(2).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        ema.update(model)
        recent.append(loss.item())
        if step % 300 == 0:
            print(f"step {step:5d}  noise mse {np.mean(recent):.4f}")
            recent.clear()

    sampler = Denoiser(cfg.width, cfg.timesteps)
    sampler.load_state_dict(ema.shadow)
    sampler.eval()
    generated = sample(sampler, schedule, len(test))
    print(f"held-out noise mse {noise_error(sampler, schedule, test):.4f}")
    print(f"MMD^2 generated {mmd(generated, test):.5f}  training points {mmd(train[:1500], test):.5f}"
          f"  gaussian {mmd(torch.randn(1500, 2), test):.5f}")


if __name__ == "__main__":
    main()
