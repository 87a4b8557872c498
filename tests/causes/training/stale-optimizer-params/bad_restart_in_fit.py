from torch import nn
from torch.optim import AdamW as Opt


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.body(x)


class Trainer:
    def __init__(self, width=64):
        self.width = width
        self.model = Net(width)
        self.optimizer = Opt(self.model.parameters(), lr=1e-3)  # stale-optimizer-params
        self.loss = nn.MSELoss()

    def reset(self):
        self.model = Net(self.width)

    def fit(self, loader, epochs):
        self.reset()
        for _ in range(epochs):
            for x, y in loader:
                loss = self.loss(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


trainer = Trainer()
trainer.fit(loader, 10)
