import torch
import torch.nn.functional as F


class Engine:
    """Forward in bfloat16, weights in float32."""

    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def compute_loss(self, x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return F.cross_entropy(self.model(x).float(), y)

    def train_epoch(self, loader):
        self.model.train()
        total = 0.0
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = self.compute_loss(x, y)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        hits = [(self.model(x).argmax(1) == y).float() for x, y in loader]
        return torch.cat(hits).mean().item()
