import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


class DigitsData(L.LightningDataModule):
    def __init__(self, batch_size=32, seed=42):
        super().__init__()
        self.batch_size, self.seed = batch_size, seed

    def setup(self, stage=None):
        if hasattr(self, "train_set"):
            return
        x, y = load_digits(return_X_y=True)
        x = torch.tensor(x, dtype=torch.float32).view(-1, 1, 8, 8) / 16 - 0.3
        full = TensorDataset(x, torch.tensor(y))
        g = torch.Generator().manual_seed(self.seed)
        self.train_set, self.val_set = random_split(full, [1400, len(full) - 1400], generator=g)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=256)


class LitLeNet(L.LightningModule):
    def __init__(self, max_lr=0.2, wd=5e-4):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.Tanh(),
            nn.Conv2d(16, 32, 3, padding=1), nn.Tanh(), nn.AvgPool2d(2),
            nn.Flatten(),
            nn.Linear(32 * 16, 64), nn.Tanh(),
            nn.Linear(64, 10),
        )

    def forward(self, x):
        return self.body(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y))
        self.log("val_acc", (logits.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.hparams.max_lr,
                              weight_decay=self.hparams.wd)
        sched = torch.optim.lr_scheduler.OneCycleLR(
            opt, max_lr=self.hparams.max_lr, pct_start=0.25, cycle_momentum=False,
            total_steps=self.trainer.estimated_stepping_batches)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched}}


class PlainPrinter(Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        print(f"Epoch {trainer.current_epoch:>2}: train_loss={m['train_loss']:.4f} "
              f"val_loss={m['val_loss']:.4f} val_acc={m['val_acc']:.4f}", flush=True)


def main():
    L.seed_everything(42, verbose=False)
    trainer = L.Trainer(
        max_epochs=12, accelerator="cpu", devices=1, logger=False,
        enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, callbacks=[PlainPrinter()],
    )
    dm, model = DigitsData(), LitLeNet()
    trainer.fit(model, dm)
    result = trainer.validate(model, dm, verbose=False)[0]
    print({k: round(v, 4) for k, v in result.items()})


if __name__ == "__main__":
    main()
