import torch
from torch import nn


class Pretext(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(16, 32)
        self.project = nn.Linear(32, 8)

    def forward(self, x):
        return self.project(torch.relu(self.trunk(x)))


class Task(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 32)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


pretext = Pretext()
torch.save(pretext.state_dict(), "pretext.pt")
task = Task()
task.load_state_dict(torch.load("pretext.pt"), strict=False)  # weights-not-loaded
task.eval()
