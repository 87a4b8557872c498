import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

for image, label in dataset:
    logits = net(image.unsqueeze(0))  # norm-batch-of-one
    loss = nn.functional.cross_entropy(logits, label.view(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
