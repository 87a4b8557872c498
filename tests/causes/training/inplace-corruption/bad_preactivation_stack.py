from torch import nn


class PreAct(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(
            nn.ReLU(True),  # inplace-corruption
            nn.Linear(dim, dim),
            nn.ReLU(True),
            nn.Linear(dim, dim),
        )

    def forward(self, x):
        return x + self.body(x)


net = nn.Sequential(nn.Linear(10, 64), PreAct(64), PreAct(64), nn.Linear(64, 2))
