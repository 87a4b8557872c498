"""Motion classifier on frame differences (surveillance clips)."""
import cv2
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


class ClipPairs(Dataset):
    def __init__(self, rows, root):
        self.rows = rows
        self.root = root

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        a, b, label = self.rows[i]
        prev = cv2.imread(f"{self.root}/{a}", cv2.IMREAD_GRAYSCALE)
        curr = cv2.imread(f"{self.root}/{b}", cv2.IMREAD_GRAYSCALE)
        diff = curr - prev
        x = torch.from_numpy(diff).float().unsqueeze(0) / 255.0
        return x, label


def train(rows, root, epochs=10):
    torch.manual_seed(0)
    loader = DataLoader(ClipPairs(rows, root), batch_size=32, shuffle=True)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2), nn.ReLU(),
        nn.Conv2d(16, 32, 5, stride=2), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 2),
    )
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    crit = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = crit(net(x), y)
            loss.backward()
            opt.step()
        print(epoch, loss.item())
    return net
