import torch
import torch.nn as nn


class Pyramid(nn.Module):
    def __init__(self, chans=(64, 128, 256), out=64):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(c, out, 1) for c in chans])
        self.smooth = []
        for i in range(len(chans)):
            conv = nn.Conv2d(out, out, 3, padding=1)
            self.add_module(f"smooth{i}", conv)
            self.smooth.append(conv)
        self.heads = nn.ModuleDict({"cls": nn.Conv2d(out, 20, 1), "box": nn.Conv2d(out, 4, 1)})

    def forward(self, feats):
        lat = [l(f) for l, f in zip(self.lateral, feats)]
        for i in range(len(lat) - 1, 0, -1):
            lat[i - 1] = lat[i - 1] + nn.functional.interpolate(lat[i], size=lat[i - 1].shape[-2:])
        out = [s(x) for s, x in zip(self.smooth, lat)]
        return [{k: h(o) for k, h in self.heads.items()} for o in out]


def mlp(sizes, act=nn.ReLU):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(act())
    return nn.Sequential(*layers)
