import torch
from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "gelu": nn.GELU}


def build_mlp(n_in, n_out, depth, width, activation):
    act = ACTIVATIONS[activation]
    layers, fan = [], n_in
    for _ in range(depth):
        layers += [nn.Linear(fan, width), act()]
        fan = width
    layers.append(nn.Linear(fan, n_out))
    net = nn.Sequential(*layers)
    for m in net[:-1]:
        if isinstance(m, nn.Linear):
            nn.init.kaiming_normal_(m.weight)
            nn.init.zeros_(m.bias)
    nn.init.xavier_uniform_(net[-1].weight, gain=0.5)
    nn.init.zeros_(net[-1].bias)
    return net


@torch.no_grad()
def loss_and_accuracy(net, x, y):
    net.eval()
    logits = net(x)
    return nn.functional.cross_entropy(logits, y).item(), (logits.argmax(1) == y).float().mean().item()
