"""Pump efficiency regression with Lightning."""
import logging
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class PumpData(L.LightningDataModule):
    def __init__(self, n=4000, batch_size=64):
        super().__init__()
        self.n, self.batch_size = n, batch_size

    def setup(self, stage=None):
        g = torch.Generator().manual_seed(20)
        x = torch.rand(self.n, 8, generator=g) * 2 - 1
        y = (
            torch.sin(3 * x[:, 0] * x[:, 1])
            + 2 * (x[:, 2] - 0.3) ** 2
            + x[:, 3] * x[:, 4]
            + 0.5 * x[:, 5]
            + 0.05 * torch.randn(self.n, generator=g)
        )
        full = TensorDataset(x, y[:, None])
        self.parts = random_split(full, [0.7, 0.15, 0.15], generator=g)

    def train_dataloader(self):
        return DataLoader(self.parts[0], self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.parts[1], 256)

    def test_dataloader(self):
        return DataLoader(self.parts[2], 256)


class PumpNet(L.LightningModule):
    def __init__(self, hidden=64, max_lr=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(
            nn.Linear(8, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.body(x)

    def _shared(self, batch, name):
        x, y = batch
        pred = self(x)
        loss = F.mse_loss(pred, y)
        self.log(f"{name}_mse", loss, on_step=False, on_epoch=True, batch_size=len(x))
        return loss

    def training_step(self, batch, _):
        return self._shared(batch, "train")

    def validation_step(self, batch, _):
        self._shared(batch, "val")

    def test_step(self, batch, _):
        self._shared(batch, "test")

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.hparams.max_lr, momentum=0.9, weight_decay=1e-5)
        sched = torch.optim.lr_scheduler.OneCycleLR(
            opt,
            max_lr=self.hparams.max_lr,
            total_steps=self.trainer.estimated_stepping_batches,
            div_factor=50,
        )
        return {"optimizer": opt, "lr_scheduler": sched}


class Printer(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        print(f"epoch {trainer.current_epoch:2d}  train {m['train_mse']:.4f}  val {m['val_mse']:.4f}")


if __name__ == "__main__":
    L.seed_everything(9, verbose=False)
    dm = PumpData()
    trainer = L.Trainer(
        max_epochs=20,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[Printer()],
    )
    net = PumpNet()
    trainer.fit(net, dm)
    res = trainer.test(net, dm, verbose=False)[0]
    y = torch.cat([b[1] for b in dm.test_dataloader()])
    print(f"test mse {res['test_mse']:.4f}  r2 {1 - res['test_mse'] / y.var().item():.3f}")
