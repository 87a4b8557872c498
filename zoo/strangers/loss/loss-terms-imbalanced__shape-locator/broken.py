import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

SIDE = 32
KINDS = ["square", "disc", "cross", "ring"]


def draw(n, seed):
    """One shape per picture. Returns images, kind index, box (cx, cy, w, h) in pixels."""
    g = torch.Generator().manual_seed(seed)
    kind = torch.randint(0, len(KINDS), (n,), generator=g)
    half = torch.randint(4, 8, (n,), generator=g).float()
    centre = 8 + torch.rand(n, 2, generator=g) * (SIDE - 16)
    yy, xx = torch.meshgrid(torch.arange(SIDE).float(), torch.arange(SIDE).float(), indexing="ij")
    dx = xx[None] - centre[:, 0, None, None]
    dy = yy[None] - centre[:, 1, None, None]
    h = half[:, None, None]
    r = (dx ** 2 + dy ** 2).sqrt()
    square = (dx.abs() <= h) & (dy.abs() <= h)
    disc = r <= h
    cross = square & ((dx.abs() <= h / 3) | (dy.abs() <= h / 3))
    ring = disc & (r >= h * 0.6)
    stack = torch.stack([square, disc, cross, ring], 1).float()
    img = stack[torch.arange(n), kind]
    ink = 0.5 + 0.5 * torch.rand(n, 1, 1, generator=g)
    img = img * ink + 0.2 * torch.randn(n, SIDE, SIDE, generator=g)
    box = torch.stack([centre[:, 0], centre[:, 1], 2 * half, 2 * half], 1)
    return img[:, None] - 0.1, kind, box


class Locator(L.LightningModule):
    def __init__(self, width=12, lr=3e-3, box_weight=5.0):
        super().__init__()
        self.save_hyperparameters()
        w = width
        self.trunk = nn.Sequential(
            nn.Conv2d(1, w, 5, stride=2, padding=2), nn.BatchNorm2d(w), nn.ReLU(),
            nn.Conv2d(w, 2 * w, 3, stride=2, padding=1), nn.BatchNorm2d(2 * w), nn.ReLU(),
            nn.Conv2d(2 * w, 2 * w, 3, stride=2, padding=1), nn.BatchNorm2d(2 * w), nn.ReLU(),
            nn.Flatten(),
            nn.Linear(2 * w * (SIDE // 8) ** 2, 20), nn.ReLU(),
        )
        self.kind_head = nn.Linear(20, len(KINDS))
        self.box_head = nn.Linear(20, 4)
        nn.init.constant_(self.box_head.bias, SIDE / 2)

    def forward(self, x):
        z = self.trunk(x)
        return self.kind_head(z), self.box_head(z)

    def losses(self, batch):
        x, kind, box = batch
        logits, pred = self(x)
        cls = F.cross_entropy(logits, kind)
        loc = F.mse_loss(pred, box)
        return cls, loc, logits, pred

    def training_step(self, batch, _):
        cls, loc, _, _ = self.losses(batch)
        return cls + self.hparams.box_weight * loc

    def on_validation_epoch_start(self):
        self.seen, self.right, self.iou_sum = 0, 0, 0.0

    def validation_step(self, batch, _):
        _, _, logits, pred = self.losses(batch)
        _, kind, box = batch
        self.seen += len(kind)
        self.right += (logits.argmax(1) == kind).sum().item()
        self.iou_sum += iou(pred, box).sum().item()

    def on_validation_epoch_end(self):
        print(f"epoch {self.current_epoch:2d}  kind acc {self.right / self.seen:.3f}  "
              f"mean iou {self.iou_sum / self.seen:.3f}")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        steps = self.trainer.estimated_stepping_batches
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def iou(a, b):
    lo = torch.maximum(a[:, :2] - a[:, 2:] / 2, b[:, :2] - b[:, 2:] / 2)
    hi = torch.minimum(a[:, :2] + a[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2)
    inter = (hi - lo).clamp(min=0).prod(1)
    union = a[:, 2:].clamp(min=0).prod(1) + b[:, 2:].prod(1) - inter
    return inter / union.clamp(min=1e-6)


def main():
    L.seed_everything(11, verbose=False)
    train = DataLoader(TensorDataset(*draw(2400, seed=1)), batch_size=48, shuffle=True)
    held_out = DataLoader(TensorDataset(*draw(600, seed=2)), batch_size=200)
    net = Locator()
    trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False,
                        num_sanity_val_steps=0)
    trainer.fit(net, train, held_out)


if __name__ == "__main__":
    main()
