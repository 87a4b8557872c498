import logging
from typing import Iterable

import torch
from torch import nn

log = logging.getLogger(__name__)


class Trainer:
    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer, device: str = "cpu"):
        self.model = model.to(device)
        self.optimizer = optimizer
        self.device = device
        self.criterion = nn.CrossEntropyLoss()
        self.epoch_loss = 0.0

    def on_epoch_start(self) -> None:
        self.epoch_loss = 0.0
        self.model.train()

    def training_step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        x, y = x.to(self.device), y.to(self.device)
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.epoch_loss += loss

    def fit(self, loader: Iterable, epochs: int) -> None:
        for epoch in range(epochs):
            self.on_epoch_start()
            for x, y in loader:
                self.training_step(x, y)
            log.info("epoch %d loss %.4f", epoch, self.epoch_loss / len(loader))
