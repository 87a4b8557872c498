"""A gradient for the picture is taken in eval mode, and the model stays there for the real step."""

import torch
from torch import nn

classifier = nn.Sequential(nn.Linear(20, 64), nn.Dropout(0.2), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.SGD(classifier.parameters(), lr=0.05)
criterion = nn.CrossEntropyLoss()
for rows, labels in batches:
    classifier.eval()  # eval-mode-training
    probe = rows.clone().requires_grad_(True)
    criterion(classifier(probe), labels).backward()
    hard = (rows + 0.1 * probe.grad.sign()).detach()
    optimizer.zero_grad()
    loss = criterion(classifier(hard), labels)
    loss.backward()
    optimizer.step()
