import math

import torch
from lightning.pytorch import LightningModule
from torch import nn


def ramp_then_cosine(ramp, total):
    def factor(t):
        if t < ramp:
            return (t + 1) / ramp
        return 0.5 * (1 + math.cos(math.pi * (t - ramp) / max(1, total - ramp)))

    return factor


class Regressor(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))

    def training_step(self, batch, index):
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.05)
        total = int(self.trainer.estimated_stepping_batches)
        plan = torch.optim.lr_scheduler.LambdaLR(optimizer, ramp_then_cosine(total // 10, total))
        return [optimizer], [{"scheduler": plan, "interval": "epoch"}]  # scheduler-cadence
