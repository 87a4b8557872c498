import torch
import torch.nn as nn


class Pyramid(nn.Module):
    def __init__(self, channels=(64, 128, 256), out=128):
        super().__init__()
        lateral, smooth = [], []
        for i, c in enumerate(channels):
            conv = nn.Conv2d(c, out, 1)
            self.add_module(f"lateral{i}", conv)
            lateral.append(conv)
            smooth.append(nn.Conv2d(out, out, 3, padding=1))
        self.lateral = lateral
        self.smooth = nn.ModuleList(smooth)

    def forward(self, feats):
        outs, prev = [], None
        for f, lat, sm in zip(reversed(feats), reversed(self.lateral), reversed(self.smooth)):
            x = lat(f)
            if prev is not None:
                x = x + nn.functional.interpolate(prev, size=x.shape[-2:], mode="nearest")
            prev = x
            outs.append(sm(x))
        return outs[::-1]


class MLP(nn.Module):
    def __init__(self, dims):
        super().__init__()
        layers = []
        for a, b in zip(dims[:-2], dims[1:-1]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        layers.append(nn.Linear(dims[-2], dims[-1]))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)
