import torch
from torch import nn

torch.manual_seed(0)


def train(net, data, to_mode, judge, epochs=5):
    optimizer = torch.optim.Adam(net.parameters())
    clear, move = optimizer.zero_grad, optimizer.step
    for _ in range(epochs):
        to_mode()
        for x, y in data:
            clear()
            nn.functional.cross_entropy(net(x), y).backward()
            move()
        judge()


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
parts = [(torch.randn(16, 4), torch.randint(2, (16,))) for _ in range(10)]
train(net, parts, net.train, lambda: print(accuracy(net, *parts[0])))
