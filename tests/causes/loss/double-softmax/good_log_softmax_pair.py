import torch
import torch.nn as nn
import torch.nn.functional as F


def build(hidden, classes, final_activation=False):
    layers = [nn.Linear(16, hidden), nn.ReLU(), nn.Linear(hidden, classes)]
    if final_activation:
        layers.append(nn.Softmax(dim=1))
    return nn.Sequential(*layers)


class LogNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(16, 4)

    def forward(self, x):
        return F.log_softmax(self.fc(x), dim=1)


plain, logged = build(32, 4, flag), LogNet()
optimizer = torch.optim.Adam([*plain.parameters(), *logged.parameters()])
for x, y in loader:
    optimizer.zero_grad()
    loss = F.cross_entropy(plain(x), y) + F.nll_loss(logged(x), y)
    loss.backward()
    optimizer.step()
