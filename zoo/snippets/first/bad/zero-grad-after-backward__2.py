import torch
from torch.cuda.amp import GradScaler, autocast


class AmpEngine:
    def __init__(self, model, optimizer, loss_fn):
        self.model = model
        self.optimizer = optimizer
        self.loss_fn = loss_fn
        self.scaler = GradScaler()

    def compute(self, images, masks):
        with autocast():
            loss = self.loss_fn(self.model(images), masks)
        self.scaler.scale(loss).backward()
        return loss.detach()

    def apply(self):
        self.model.zero_grad(set_to_none=False)
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def run_epoch(self, loader, device):
        self.model.train()
        losses = []
        for images, masks in loader:
            loss = self.compute(images.to(device), masks.to(device))
            self.apply()
            losses.append(loss.item())
        return sum(losses) / len(losses)
