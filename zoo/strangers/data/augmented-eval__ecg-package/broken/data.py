import torch
from torch.utils.data import DataLoader, Dataset, Subset

from signals import build
from transforms import Compose, Jitter, RandomMask, RandomScale, Standardize


class BeatDataset(Dataset):
    def __init__(self, x, y, transform=None):
        self.x = torch.from_numpy(x)
        self.y = torch.from_numpy(y)
        self.transform = transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        beat = self.x[i]
        if self.transform is not None:
            beat = self.transform(beat)
        return beat.unsqueeze(0), self.y[i]


def make_loaders(cfg):
    x, y = build(cfg["n"], cfg["seed"])
    g = torch.Generator().manual_seed(cfg["seed"])
    order = torch.randperm(len(x), generator=g).tolist()
    a, b = int(0.7 * len(x)), int(0.85 * len(x))
    norm = Standardize(float(x[order[:a]].mean()), float(x[order[:a]].std()))
    augment = Compose([norm, RandomScale(0.3), RandomMask(70), Jitter(0.3)])

    beats = BeatDataset(x, y, augment)
    train = Subset(beats, order[:a])
    val = Subset(beats, order[a:b])
    test = Subset(beats, order[b:])
    return (
        DataLoader(train, cfg["batch"], shuffle=True),
        DataLoader(val, 256),
        DataLoader(test, 256),
    )
