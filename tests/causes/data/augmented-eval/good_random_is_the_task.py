import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Denoising(Dataset):
    """Noise is the task: the clean signal is what the model should give back."""

    def __init__(self, path):
        self.signals = np.load(path)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, i):
        clean = torch.from_numpy(self.signals[i]).float()
        noisy = clean + 0.1 * torch.randn_like(clean)
        return noisy, clean


class Split(Dataset):
    """Draws only when told to."""

    def __init__(self, images, labels, augment):
        self.images, self.labels, self.augment = images, labels, augment

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        image = self.images[i]
        if self.augment and torch.rand(()) < 0.5:
            image = image.flip(-1)
        return image, self.labels[i]


class Pairs(Dataset):
    """The partner is drawn, and the label says whether it fits."""

    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        j = int(np.random.randint(len(self.labels)))
        return self.images[i], self.images[j], float(self.labels[i] == self.labels[j])


def fit(net, train, test, loss_of):
    opt = torch.optim.Adam(net.parameters())
    for batch in train:
        opt.zero_grad()
        loss_of(net, batch).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        return [loss_of(net, batch).item() for batch in test]


def autoencode(net, batch):
    return torch.nn.functional.mse_loss(net(batch[0]), batch[1])


def classify(net, batch):
    return torch.nn.functional.cross_entropy(net(batch[0]), batch[1])


images, labels = torch.load("images.pt")
net = torch.nn.Sequential(torch.nn.Conv1d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv1d(8, 1, 3, padding=1))
fit(net, DataLoader(Denoising("train.npy"), 32, shuffle=True), DataLoader(Denoising("test.npy"), 32), autoencode)
head = torch.nn.Linear(64, 3)
fit(
    head,
    DataLoader(Split(images[:90], labels[:90], True), 8, shuffle=True),
    DataLoader(Split(images[90:], labels[90:], False), 8),
    classify,
)
