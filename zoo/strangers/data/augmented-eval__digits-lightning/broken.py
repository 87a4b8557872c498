import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class RandomShift:
    def __init__(self, pixels):
        self.pixels = pixels

    def __call__(self, img):
        dy, dx = torch.randint(-self.pixels, self.pixels + 1, (2,)).tolist()
        return torch.roll(img, (dy, dx), dims=(-2, -1))


class Cutout:
    def __init__(self, size):
        self.size = size

    def __call__(self, img):
        y, x = torch.randint(0, img.shape[-1] - self.size + 1, (2,)).tolist()
        img = img.clone()
        img[..., y:y + self.size, x:x + self.size] = 0.0
        return img


class PixelNoise:
    def __init__(self, sigma):
        self.sigma = sigma

    def __call__(self, img):
        return img + self.sigma * torch.randn_like(img)


class Standardize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, img):
        return (img - self.mean) / self.std


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, img):
        for step in self.steps:
            img = step(img)
        return img


class DigitImages(Dataset):
    def __init__(self, images, labels, transform):
        self.images = torch.tensor(images, dtype=torch.float32).unsqueeze(1)
        self.labels = torch.tensor(labels)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.transform(self.images[i]), self.labels[i]


class DigitData(L.LightningDataModule):
    def setup(self, stage=None):
        if hasattr(self, "train_ds"):
            return
        images, labels = load_digits(return_X_y=True)
        images = images.reshape(-1, 8, 8) / 16.0
        xt, xv, yt, yv = train_test_split(images, labels, test_size=0.25, stratify=labels, random_state=0)
        base = Standardize(float(np.mean(xt)), float(np.std(xt)))
        augment = Compose(RandomShift(1), Cutout(2), PixelNoise(0.1), base)
        self.train_ds = DigitImages(xt, yt, augment)
        self.val_ds = DigitImages(xv, yv, augment)

    def train_dataloader(self):
        return DataLoader(self.train_ds, batch_size=32, shuffle=True, num_workers=0)

    def val_dataloader(self):
        return DataLoader(self.val_ds, batch_size=225, num_workers=0)


class DigitNet(L.LightningModule):
    def __init__(self, lr=4e-3):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
            nn.Conv2d(24, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(48 * 16, 64), nn.ReLU(), nn.Linear(64, 10),
        )

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False, batch_size=len(y))
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self.net(x)
        self.log("val_loss", F.cross_entropy(logits, y), batch_size=len(y))
        self.log("val_acc", (logits.argmax(1) == y).float().mean(), batch_size=len(y))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d} train_loss {m['train_loss']:.4f} val_loss {m['val_loss']:.4f} val_acc {m['val_acc']:.4f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=1e-2)
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=self.lr, total_steps=int(self.trainer.estimated_stepping_batches))
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


if __name__ == "__main__":
    L.seed_everything(0, verbose=False)
    trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(DigitNet(), datamodule=DigitData())
    print(f"final validation accuracy {trainer.callback_metrics['val_acc']:.4f}")
