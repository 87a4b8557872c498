"""The class makes its transform by the split, asks a flag, or hands out two views of each picture."""

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Tiles(Dataset):
    def __init__(self, tiles, learning):
        self.tiles, self.learning = tiles, learning
        self.turn = transforms.RandomRotation(20)
        if learning:
            self.change = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.ToTensor()])
        else:
            self.change = transforms.Compose([transforms.CenterCrop(64), transforms.ToTensor()])

    def __len__(self):
        return len(self.tiles)

    def __getitem__(self, index):
        tile, label = self.tiles[index]
        if self.learning:
            tile = self.turn(tile)
        return self.change(tile), label


def run(net, optimizer, known, unknown):
    learned = DataLoader(Tiles(known, True), batch_size=32, shuffle=True)
    judged = DataLoader(Tiles(unknown, False), batch_size=32)
    for x, y in learned:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in judged)
