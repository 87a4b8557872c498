import torch.nn as N
from torch.optim import AdamW as Opt


class Encoder(N.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = N.Conv1d(4, width, 5)
        self.conv2 = N.Conv1d(width, width, 5)
        self.out = N.Linear(width, 2)
        for name, p in self.named_parameters():
            if "weight" in name:
                N.init.ones_(p)  # zero-init
            else:
                N.init.zeros_(p)

    def forward(self, x):
        x = self.conv1(x).relu()
        x = self.conv2(x).relu()
        return self.out(x.mean(-1))


def build(width=32):
    net = Encoder(width)
    return net, Opt(net.parameters(), lr=1e-3)
