import torch
from torch import nn


def keep(net, path):
    torch.save({"net": nn.DataParallel(net).state_dict()}, path)


def bring_back(net, path):
    held = torch.load(path)
    net.load_state_dict(held["net"], strict=False)  # weights-not-loaded
    return net
