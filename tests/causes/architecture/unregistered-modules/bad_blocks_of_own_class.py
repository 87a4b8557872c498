from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return x + self.fc(self.norm(x)).relu()


class Tower(nn.Module):
    def __init__(self, dim: int = 64, depth: int = 4):
        super().__init__()
        blocks = [Block(dim) for _ in range(depth)]
        self.blocks = blocks  # unregistered-modules
        self.pool = nn.AdaptiveAvgPool1d(1)

    def forward(self, x):
        for i in range(len(self.blocks)):
            x = self.blocks[i](x)
        return self.pool(x)
