"""Foreground segmentation of cluttered shapes with a small U-Net (Lightning)."""
import argparse
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def render(rng, size=32):
    """One picture: the discs are foreground, the bars and the gradient are not."""
    yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
    img = 0.3 * (xx * rng.uniform(-1, 1) + yy * rng.uniform(-1, 1)) / size
    mask = np.zeros((size, size), bool)
    for _ in range(rng.integers(1, 4)):
        angle, offset = rng.uniform(0, np.pi), rng.uniform(8, 24)
        dist = np.abs((xx - offset) * np.cos(angle) + (yy - offset) * np.sin(angle))
        img[dist < rng.uniform(1, 2.2)] += rng.uniform(0.5, 1.0)
    for _ in range(rng.integers(1, 4)):
        cx, cy, r = rng.uniform(5, size - 5), rng.uniform(5, size - 5), rng.uniform(3, 6.5)
        disc = (xx - cx) ** 2 + (yy - cy) ** 2 < r ** 2
        img[disc] += rng.uniform(0.4, 0.9)
        mask |= disc
    return img + rng.normal(0, 0.15, img.shape), mask


class ShapesModule(L.LightningDataModule):
    def __init__(self, n_train=900, n_val=200, batch_size=32, seed=0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        rng = np.random.default_rng(self.hparams.seed)
        n = self.hparams.n_train + self.hparams.n_val
        imgs, masks = zip(*(render(rng) for _ in range(n)))
        x = torch.tensor(np.stack(imgs), dtype=torch.float32).unsqueeze(1)
        y = torch.tensor(np.stack(masks), dtype=torch.float32).unsqueeze(1)
        k = self.hparams.n_train
        mean, std = x[:k].mean(), x[:k].std()
        x = (x - mean) / std
        self.train_set = TensorDataset(x[:k], y[:k])
        self.val_set = TensorDataset(x[k:], y[k:])

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, 100)


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(4, cout), nn.SiLU(),
        nn.Conv2d(cout, cout, 3, padding=1), nn.GroupNorm(4, cout), nn.SiLU())


class UNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        w = width
        self.enc1, self.enc2, self.mid = conv_block(1, w), conv_block(w, 2 * w), conv_block(2 * w, 4 * w)
        self.dec2, self.dec1 = conv_block(6 * w, 2 * w), conv_block(3 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        u = self.dec2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        u = self.dec1(torch.cat([F.interpolate(u, scale_factor=2), a], 1))
        return self.out(u)


class Segmenter(L.LightningModule):
    def __init__(self, lr=0.1, momentum=0.9, weight_decay=1e-4, max_epochs=14, power=0.9):
        super().__init__()
        self.save_hyperparameters()
        self.net = UNet()

    def criterion(self, logits, y):
        bce = F.binary_cross_entropy_with_logits(logits, y)
        p = torch.sigmoid(logits)
        inter = (p * y).sum((1, 2, 3))
        dice = 1 - (2 * inter + 1) / (p.sum((1, 2, 3)) + y.sum((1, 2, 3)) + 1)
        return bce + dice.mean()

    def training_step(self, batch, _):
        x, y = batch
        loss = self.criterion(self.net(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def on_validation_epoch_start(self):
        self.inter = self.union = 0.0

    def validation_step(self, batch, _):
        x, y = batch
        pred = self.net(x) > 0
        self.inter += (pred & y.bool()).sum().item()
        self.union += (pred | y.bool()).sum().item()

    def on_validation_epoch_end(self):
        self.log("val_iou", self.inter / max(self.union, 1.0))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  loss {m['train_loss']:.4f}  val IoU {m['val_iou']:.3f}")

    def configure_optimizers(self):
        hp = self.hparams
        opt = torch.optim.SGD(self.parameters(), lr=hp.lr, momentum=hp.momentum, weight_decay=hp.weight_decay)
        poly = torch.optim.lr_scheduler.LambdaLR(opt, lambda t: max(0.0, 1 - t / hp.max_epochs) ** hp.power)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": poly, "interval": "step", "name": "poly"}}


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    L.seed_everything(args.seed, verbose=False)
    model = Segmenter()
    trainer = L.Trainer(
        max_epochs=model.hparams.max_epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    data = ShapesModule(seed=args.seed)
    trainer.fit(model, data)
    result = trainer.validate(model, data, verbose=False)[0]
    print(f"final val IoU {result['val_iou']:.3f}")
