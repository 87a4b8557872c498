"""A method without its class: the model is `self.model`, made somewhere else."""

import torch
from torch.nn import functional as F


def update(self, images):
    picture, mean, log_variance = self.model(images)
    rebuilt = F.mse_loss(picture, images)
    divergence = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()  # wrong-reduction
    self.optimizer.zero_grad()
    (rebuilt + divergence).backward()
    torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
    self.optimizer.step()
