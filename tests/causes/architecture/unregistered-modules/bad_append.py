import torch.nn as N


class Stack(N.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = N.Linear(8, width)
        self.hidden = []  # unregistered-modules
        for _ in range(depth):
            self.hidden.append(N.Linear(width, width))
        self.out = N.Linear(width, 2)

    def forward(self, x):
        x = self.inp(x).relu()
        for layer in self.hidden:
            x = layer(x).relu()
        return self.out(x)
