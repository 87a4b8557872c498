import functools

import torch
from torch import nn


def redraw(module, gain):
    kind = module.__class__.__name__
    if kind.find("Conv") != -1 or kind.find("Linear") != -1:
        nn.init.orthogonal_(module.weight, gain)


def generator(size):
    return nn.Sequential(nn.ConvTranspose2d(size, 32, 4), nn.ReLU(), nn.ConvTranspose2d(32, 3, 4), nn.Tanh())


def resume(path, device):
    net = generator(64).to(device)
    state = torch.load(path, map_location=device, weights_only=True)
    net.load_state_dict(state["generator"])
    net.train()
    net.apply(functools.partial(redraw, gain=1.4))  # weights-not-loaded
    return net


resume("gan.pt", "cpu")
