import torch
from torch import nn

from our_helpers import without_recording


@without_recording()
def answers(model, loader):
    model.eval()
    found = []
    for x, _ in loader:
        found.append(model(x))
    return found


def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


net = nn.Linear(8, 3)
train(net, train_loader, torch.optim.SGD(net.parameters(), lr=0.1))
print(answers(net, test_loader))
