import math

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn

from settings import Settings


def warmup_then_cosine(warmup: int, total: int):
    def factor(t: int) -> float:
        if t < warmup:
            return (t + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * (t - warmup) / max(1, total - warmup)))

    return factor


class SpindleNet(L.LightningModule):
    def __init__(self, cfg: Settings, n_states: int):
        super().__init__()
        self.cfg = cfg
        c = cfg.channels
        self.features = nn.Sequential(
            nn.Conv1d(1, c, 9, stride=2, padding=4), nn.BatchNorm1d(c), nn.ReLU(),
            nn.Conv1d(c, 2 * c, 7, stride=2, padding=3), nn.BatchNorm1d(2 * c), nn.ReLU(),
            nn.Conv1d(2 * c, 2 * c, 5, stride=2, padding=2), nn.BatchNorm1d(2 * c), nn.ReLU(),
            nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        )
        self.classifier = nn.Linear(8 * c, n_states)

    def forward(self, x):
        return self.classifier(self.features(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def _shared_eval(self, batch, prefix):
        x, y = batch
        logits = self(x)
        self.log(f"{prefix}_loss", F.cross_entropy(logits, y), batch_size=len(y))
        self.log(f"{prefix}_acc", (logits.argmax(1) == y).float().mean(), batch_size=len(y))

    def validation_step(self, batch, batch_idx):
        self._shared_eval(batch, "val")

    def test_step(self, batch, batch_idx):
        self._shared_eval(batch, "test")

    def on_train_epoch_end(self):
        shown = {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()}
        print(f"epoch {self.current_epoch:2d}", shown)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(
            self.parameters(), lr=self.cfg.max_lr, momentum=self.cfg.momentum, weight_decay=self.cfg.weight_decay
        )
        total = int(self.trainer.estimated_stepping_batches)
        curve = warmup_then_cosine(warmup=int(self.cfg.warmup_share * total), total=total)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, curve)
        return [optimizer], [{"scheduler": scheduler, "interval": "epoch"}]
