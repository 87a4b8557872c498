import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.backbone = nn.Linear(dim, 128)
        self.head = nn.Linear(128, 1)

    def forward(self, x):
        with torch.no_grad():  # no-grad-training
            z = torch.relu(self.backbone(x))
        return self.head(z)


class Trainer:
    def __init__(self):
        self.model = Ranker(40)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def epoch(self, loader):
        self.model.train()
        for x, y in loader:
            self.opt.zero_grad()
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.opt.step()


Trainer().epoch(loader)
