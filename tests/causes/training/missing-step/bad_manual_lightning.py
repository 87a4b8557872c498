"""Lightning, told to leave the optimizing to the module, which does half of it."""

import lightning as L
import torch
from torch.nn import functional as F


class Denoiser(L.LightningModule):
    automatic_optimization = False

    def __init__(self, net):
        super().__init__()
        self.net = net

    def training_step(self, batch, index):
        optimizer = self.optimizers()
        noisy = batch + 0.1 * torch.randn_like(batch)
        loss = F.mse_loss(self.net(noisy), batch)
        optimizer.zero_grad()
        self.manual_backward(loss)  # missing-step
        self.clip_gradients(optimizer, gradient_clip_val=1.0)
        self.log("loss", loss)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.net.parameters(), lr=1e-4)
