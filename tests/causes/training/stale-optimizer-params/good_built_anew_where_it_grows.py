import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.out = nn.Linear(4, 1)

    def grow(self, rows):
        table = nn.Embedding(rows, 4)
        with torch.no_grad():
            table.weight[: self.table.num_embeddings] = self.table.weight
        self.table = table

    def forward(self, ids):
        return self.out(self.table(ids))


class Learner:
    def __init__(self):
        self.net = Net()
        self.opt = self.fresh()

    def fresh(self):
        return torch.optim.Adam(self.net.parameters(), lr=1e-2)

    def week(self, rows):
        if rows > self.net.table.num_embeddings:
            self.net.grow(rows)
            self.opt = self.fresh()
        for _ in range(50):
            ids = torch.randint(rows, (32,))
            loss = (self.net(ids).squeeze(1) - ids / rows).square().mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


learner = Learner()
for rows in (10, 20, 30):
    learner.week(rows)
