import lightning as L
import torch
from torch import nn


class Forecast(L.LightningModule):
    def __init__(self, rate=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(24, 64), nn.GELU(), nn.Linear(64, 6))

    def training_step(self, batch, batch_idx):
        past, future = batch
        return nn.functional.l1_loss(self.net(past), future)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.rate)
        total = self.trainer.estimated_stepping_batches
        warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, total_iters=int(0.1 * total))
        fall = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=int(0.9 * total))
        return {
            "optimizer": optimizer,
            "lr_scheduler": {  # scheduler-cadence
                "scheduler": torch.optim.lr_scheduler.SequentialLR(
                    optimizer, [warm, fall], [int(0.1 * total)]
                ),
                "monitor": "val_loss",
            },
        }
