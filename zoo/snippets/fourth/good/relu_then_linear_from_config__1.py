import torch.nn as nn

ACTS = {"relu": nn.ReLU, "gelu": nn.GELU}


class MLP(nn.Module):
    def __init__(self, sizes, act="relu"):
        super().__init__()
        layers = []
        for i, o in zip(sizes[:-2], sizes[1:-1]):
            layers += [nn.Linear(i, o), ACTS[act]()]
        layers.append(nn.Linear(sizes[-2], sizes[-1]))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)
