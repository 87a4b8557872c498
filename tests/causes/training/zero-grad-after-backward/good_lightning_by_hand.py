"""Manual optimisation of two networks in turn, cleared before each pass or after each step."""

import lightning as L
import torch
from torch import nn


class Pair(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.maker, self.judge = nn.Linear(4, 2), nn.Linear(2, 1)

    def training_step(self, batch, _):
        maker, judge = self.optimizers()
        fake = self.maker(torch.randn(len(batch), 4))
        maker.zero_grad()
        self.manual_backward(nn.functional.softplus(-self.judge(fake)).mean())
        maker.step()
        judge.zero_grad()
        wrong, right = self.judge(fake.detach()), self.judge(batch)
        self.manual_backward((nn.functional.softplus(wrong) + nn.functional.softplus(-right)).mean())
        judge.step()
        judge.zero_grad()

    def configure_optimizers(self):
        return [torch.optim.Adam(self.maker.parameters()), torch.optim.Adam(self.judge.parameters())]
