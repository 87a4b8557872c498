"""Train a tiny U-Net to segment bright discs on textured backgrounds."""
import logging
import time
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("segment")


@dataclass
class Config:
    size: int = 32
    n_train: int = 1536
    n_val: int = 256
    n_test: int = 256
    batch_size: int = 32
    epochs: int = 9
    lr: float = 5e-3
    seed: int = 5


def make_scenes(n, size, gen):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    image = 0.6 * torch.randn(n, size, size, generator=gen)
    mask = torch.zeros(n, size, size)
    for _ in range(3):
        cx = torch.randint(4, size - 4, (n, 1, 1), generator=gen)
        cy = torch.randint(4, size - 4, (n, 1, 1), generator=gen)
        r = torch.randint(3, 7, (n, 1, 1), generator=gen)
        inside = ((xx - cx) ** 2 + (yy - cy) ** 2 <= r ** 2).float()
        mask = torch.maximum(mask, inside)
    image = image + 1.2 * mask
    return image.unsqueeze(1), mask.unsqueeze(1)


def block(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
    )


class SmallUNet(nn.Module):
    def __init__(self, w=5):
        super().__init__()
        self.enc1, self.enc2 = block(1, w), block(w, 2 * w)
        self.mid = block(2 * w, 4 * w)
        self.dec2, self.dec1 = block(6 * w, 2 * w), block(3 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        d = self.dec2(torch.cat([F.interpolate(m, scale_factor=2), b], dim=1))
        d = self.dec1(torch.cat([F.interpolate(d, scale_factor=2), a], dim=1))
        return self.out(d)


def iou(logits, mask):
    pred = logits > 0
    true = mask > 0.5
    inter = (pred & true).sum().item()
    union = (pred | true).sum().item()
    return inter, union


class SegmentationTrainer:
    def __init__(self, model, train_loader, val_loader, cfg):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.cfg = cfg
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=cfg.epochs)
        self.previews = []

    def training_step(self, image, mask):
        self.optimizer.zero_grad(set_to_none=True)
        logits = self.model(image)
        loss = F.binary_cross_entropy_with_logits(logits, mask)
        loss.backward()
        self.optimizer.step()
        self.previews.append((image, logits.detach(), mask))
        return loss.item()

    def preview_row(self):
        """Coverage of the first scene of the latest batch, predicted and true."""
        _, logits, mask = self.previews[-1]
        return (logits[0] > 0).float().mean().item(), mask[0].mean().item()

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        inter = union = 0
        for image, mask in loader:
            i, u = iou(self.model(image), mask)
            inter, union = inter + i, union + u
        return inter / max(union, 1)

    def fit(self):
        for epoch in range(1, self.cfg.epochs + 1):
            self.model.train()
            total, count = 0.0, 0
            for image, mask in self.train_loader:
                total += self.training_step(image, mask) * len(image)
                count += len(image)
            self.scheduler.step()
            predicted, true = self.preview_row()
            log.info("epoch %2d  loss %.4f  val IoU %.3f  preview coverage %.2f / %.2f",
                     epoch, total / count, self.evaluate(self.val_loader), predicted, true)


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    train = TensorDataset(*make_scenes(cfg.n_train, cfg.size, gen))
    val = TensorDataset(*make_scenes(cfg.n_val, cfg.size, gen))
    test = TensorDataset(*make_scenes(cfg.n_test, cfg.size, gen))
    started = time.time()
    trainer = SegmentationTrainer(
        SmallUNet(),
        DataLoader(train, batch_size=cfg.batch_size, shuffle=True),
        DataLoader(val, batch_size=128),
        cfg,
    )
    trainer.fit()
    log.info("test IoU %.3f after %.1f s", trainer.evaluate(DataLoader(test, batch_size=128)), time.time() - started)


if __name__ == "__main__":
    main()
