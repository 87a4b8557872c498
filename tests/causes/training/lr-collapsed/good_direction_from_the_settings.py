import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau


class Plateau:
    def __init__(self, settings, optimizer):
        self.inner = ReduceLROnPlateau(
            optimizer,
            patience=settings.patience,
            mode="max" if settings.larger_is_better else "min",
        )

    def step(self, val_loss):
        self.inner.step(val_loss)
