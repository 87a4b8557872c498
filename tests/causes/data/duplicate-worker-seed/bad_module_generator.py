import argparse
import random

from torch.utils.data import DataLoader, Dataset

args = argparse.ArgumentParser().parse_args()
dice = random.Random(7)  # duplicate-worker-seed


class Crops(Dataset):
    def __init__(self, waves, length):
        self.waves, self.length = waves, length

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        start = dice.randrange(len(self.waves[i]) - self.length)
        return self.waves[i][start : start + self.length]


train = DataLoader(Crops(load_waves(), 16000), num_workers=args.workers, shuffle=True)
