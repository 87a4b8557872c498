from torch import nn


class Separable(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.depthwise = nn.Conv2d(c_in, c_in, 3, padding=1, groups=c_in)
        self.pointwise = nn.Conv2d(c_in, c_out, 1)
        self.norm = nn.BatchNorm2d(c_out)

    def forward(self, x):
        return self.norm(self.pointwise(self.depthwise(x))).relu()


class Inverted(nn.Module):
    """Expand, filter, project: the projection stays linear."""

    def __init__(self, c, grow=4):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(c, c * grow, 1, bias=False), nn.BatchNorm2d(c * grow), nn.ReLU6())
        self.project = nn.Sequential(nn.Conv2d(c * grow, c, 1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        return self.project(self.expand(x))


backbone = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), Inverted(16), Inverted(16), Separable(16, 32))


def features(images):
    return backbone(images).mean((2, 3))
