import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, start=None):
        super().__init__()
        self.trunk = nn.GRU(6, 32, batch_first=True)
        self.act = nn.Linear(32, 4)
        if start:
            self.load_state_dict(torch.load(start, weights_only=True))
        self._reset()

    def _reset(self):
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.orthogonal_(m.weight)

    def forward(self, x):
        return self.act(self.trunk(x)[0])


policy = Policy("old.pt")
policy.load_state_dict(torch.load("new.pt", weights_only=True))
print(policy(torch.randn(1, 5, 6)))
