"""Two-tower contrastive training: match a lidar descriptor with the camera descriptor of the same place."""
from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

SEED = 17
LATENT, DIM_LIDAR, DIM_CAMERA, EMB = 12, 48, 36, 24
TEMPERATURE = 0.007
BATCH, EPOCHS, LR = 128, 12, 1e-3


class World:
    """Hidden place codes seen through two fixed, unrelated random sensors."""

    def __init__(self, gen: torch.Generator) -> None:
        self.gen = gen
        self.a = torch.randn(LATENT, DIM_LIDAR, generator=gen) / math.sqrt(LATENT)
        self.b = torch.randn(LATENT, DIM_CAMERA, generator=gen) / math.sqrt(LATENT)

    def sample(self, n: int) -> tuple[Tensor, Tensor]:
        z = torch.randn(n, LATENT, generator=self.gen)
        lidar = torch.tanh(1.5 * z @ self.a) + 0.10 * torch.randn(n, DIM_LIDAR, generator=self.gen)
        camera = torch.sin(z @ self.b) + 0.10 * torch.randn(n, DIM_CAMERA, generator=self.gen)
        return lidar / 0.8, camera / 0.65


def tower(d_in: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(d_in, 128), nn.GELU(),
        nn.Linear(128, 128), nn.GELU(),
        nn.Linear(128, EMB),
    )


class TwoTower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lidar = tower(DIM_LIDAR)
        self.camera = tower(DIM_CAMERA)

    def forward(self, lidar: Tensor, camera: Tensor) -> Tensor:
        u = F.normalize(self.lidar(lidar), dim=-1)
        v = F.normalize(self.camera(camera), dim=-1)
        return u @ v.T


def info_nce(sim: Tensor) -> Tensor:
    logits = sim / TEMPERATURE
    match = logits.diagonal()
    rows = torch.log(torch.exp(logits).sum(dim=1))
    cols = torch.log(torch.exp(logits).sum(dim=0))
    return 0.5 * ((rows - match).mean() + (cols - match).mean())


@torch.no_grad()
def recall_at_1(model: TwoTower, lidar: Tensor, camera: Tensor) -> float:
    model.eval()
    best = model(lidar, camera).argmax(dim=1)
    return (best == torch.arange(len(best))).float().mean().item()


def main() -> None:
    torch.manual_seed(SEED)
    world = World(torch.Generator().manual_seed(SEED))
    train, val, test = world.sample(12000), world.sample(500), world.sample(500)

    model = TwoTower()
    opt = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=1e-3)
    n_steps = EPOCHS * (len(train[0]) // BATCH)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, n_steps)

    for epoch in range(1, EPOCHS + 1):
        model.train()
        perm = torch.randperm(len(train[0]))
        epoch_loss, k = 0.0, 0
        for start in range(0, len(perm) - BATCH + 1, BATCH):
            pick = perm[start:start + BATCH]
            loss = info_nce(model(train[0][pick], train[1][pick]))
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            epoch_loss += loss.item()
            k += 1
        with torch.no_grad():
            model.eval()
            vl = info_nce(model(val[0][:BATCH], val[1][:BATCH])).item()
        print(f"epoch {epoch:2d}  loss {epoch_loss / k:.4f}  val loss {vl:.4f}  val R@1 {recall_at_1(model, *val):.3f}")

    print(f"test R@1 among {len(test[0])} places: {recall_at_1(model, *test):.3f}")


if __name__ == "__main__":
    main()
