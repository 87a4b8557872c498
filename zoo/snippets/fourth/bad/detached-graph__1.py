import torch
import torch.nn as nn


class TwoStage(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(10, 20)
        self.b = nn.Linear(20, 2)

    def forward(self, x):
        h = torch.relu(self.a(x))
        h = torch.tensor(h.tolist())
        return self.b(h)


m = TwoStage()
opt = torch.optim.SGD(m.parameters(), lr=0.1)
for x, y in data:
    opt.zero_grad()
    nn.functional.cross_entropy(m(x), y).backward()
    opt.step()
