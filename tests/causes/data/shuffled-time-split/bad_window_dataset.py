import torch
from torch.utils.data import DataLoader, Dataset, random_split


class Windows(Dataset):
    def __init__(self, series, width):
        self.series, self.width = series, width

    def __len__(self):
        return len(self.series) - self.width

    def __getitem__(self, i):
        return self.series[i : i + self.width], self.series[i + self.width]


data = Windows(torch.load("temperature.pt"), 24)
cut = int(0.8 * len(data))
train, valid = random_split(data, [cut, len(data) - cut])  # shuffled-time-split
loader = DataLoader(train, batch_size=64, shuffle=True)
