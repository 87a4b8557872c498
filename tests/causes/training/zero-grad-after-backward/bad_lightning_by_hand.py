"""Manual optimisation: each optimizer is cleared and then stepped, after the gradients were made."""

import lightning as L
import torch
from torch import nn


class Ratings(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.users, self.items = nn.Embedding(100, 8), nn.Embedding(50, 8)

    def training_step(self, batch, _):
        user, item, rating = batch
        loss = nn.functional.mse_loss((self.users(user) * self.items(item)).sum(1), rating)
        self.manual_backward(loss)
        for opt in self.optimizers():
            opt.zero_grad()  # zero-grad-after-backward
            opt.step()
        return loss

    def configure_optimizers(self):
        return [torch.optim.Adam(self.users.parameters()), torch.optim.Adam(self.items.parameters())]
