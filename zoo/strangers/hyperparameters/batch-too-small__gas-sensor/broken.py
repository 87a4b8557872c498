# Calibrating a cheap 12-channel gas sensor.  The field labels are noisy (a handheld meter); the final
# check is against the laboratory's reference analyser, which has hardly any noise.
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Config:
    seed: int = 3
    n_train: int = 60_000
    n_val: int = 4_000
    n_test: int = 4_000
    channels: int = 12
    hidden: int = 32
    meter_noise: float = 2.2
    lr: float = 4e-3
    batch: int = 2
    steps: int = 2500
    report_every: int = 250


cfg = Config()


def concentration(v: torch.Tensor) -> torch.Tensor:
    """The (unknown) response of the sensor array, about unit variance."""
    return (
        0.9 * torch.sin(1.3 * v[:, 0])
        + 0.6 * v[:, 1] * v[:, 2]
        + 0.5 * torch.tanh(2.0 * v[:, 3])
        + 0.4 * v[:, 4]
        - 0.3 * v[:, 5]
    )


def field_campaign(n, g):
    v = torch.randn(n, cfg.channels, generator=g)
    y = concentration(v) + cfg.meter_noise * torch.randn(n, generator=g)
    return v, y


def lab_campaign(n, g):
    v = torch.randn(n, cfg.channels, generator=g)
    return v, concentration(v) + 0.02 * torch.randn(n, generator=g)


class Calibrator(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.l1, self.l2, self.out = nn.Linear(d, h), nn.Linear(h, h), nn.Linear(h, 1)

    def forward(self, v):
        z = nn.functional.silu(self.l1(v))
        z = nn.functional.silu(self.l2(z))
        return self.out(z).squeeze(-1)


def r2(pred, y):
    return 1.0 - ((pred - y) ** 2).sum().item() / ((y - y.mean()) ** 2).sum().item()


def run():
    torch.manual_seed(cfg.seed)
    g = torch.Generator().manual_seed(cfg.seed)
    v_tr, y_tr = field_campaign(cfg.n_train, g)
    v_va, y_va = field_campaign(cfg.n_val, g)
    v_te, y_te = lab_campaign(cfg.n_test, g)

    net = Calibrator(cfg.channels, cfg.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    mse = nn.MSELoss()

    window = []
    for step in range(1, cfg.steps + 1):
        idx = torch.randint(0, cfg.n_train, (cfg.batch,), generator=g)
        net.train()
        opt.zero_grad(set_to_none=True)
        loss = mse(net(v_tr[idx]), y_tr[idx])
        loss.backward()
        opt.step()
        window.append(loss.item())

        if step % cfg.report_every == 0:
            net.eval()
            with torch.no_grad():
                val = mse(net(v_va), y_va).item()
            print(f"step {step:5d}   train {sum(window) / len(window):.3f}   val {val:.3f}")
            window = []

    net.eval()
    with torch.no_grad():
        score = r2(net(v_te), y_te)
    print(f"R2 against the reference analyser: {score:.3f}")


if __name__ == "__main__":
    run()
