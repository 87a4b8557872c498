from torch import nn


def stacked(make_layer, count, share_weights=False):
    if share_weights:
        return nn.ModuleList([make_layer()] * count)
    return nn.ModuleList([make_layer() for _ in range(count)])


def tower(width, depth, tied):
    return nn.Sequential(*([nn.Linear(width, width)] * depth)) if tied else nn.Linear(width, width)
