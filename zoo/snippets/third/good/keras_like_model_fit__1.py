import torch
from torch import nn


class Model(nn.Module):
    def compile(self, optimizer, loss, metrics=()):
        self.optimizer, self.loss, self.metrics = optimizer, loss, metrics

    def train_on_batch(self, x, y):
        self.train()
        self.optimizer.zero_grad()
        out = self(x)
        loss = self.loss(out, y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def evaluate(self, loader):
        self.eval()
        n, total = 0, 0.0
        for x, y in loader:
            total += self.loss(self(x), y).item() * x.size(0)
            n += x.size(0)
        return total / n

    def fit(self, train, val, epochs):
        history = {"loss": [], "val_loss": []}
        for _ in range(epochs):
            losses = [self.train_on_batch(x, y) for x, y in train]
            history["loss"].append(sum(losses) / len(losses))
            history["val_loss"].append(self.evaluate(val))
        return history
