"""The data set makes its own random transform and applies it to every item, asked for by whom it may."""

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Tiles(Dataset):
    def __init__(self, tiles):
        self.tiles = tiles
        self.change = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.RandomRotation(20)])

    def __len__(self):
        return len(self.tiles)

    def __getitem__(self, index):
        tile, label = self.tiles[index]
        return self.change(tile), label


def run(net, optimizer, known, unknown):
    learned = DataLoader(Tiles(known), batch_size=32, shuffle=True)
    judged = DataLoader(Tiles(unknown), batch_size=32)  # augmented-eval
    for x, y in learned:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in judged)
