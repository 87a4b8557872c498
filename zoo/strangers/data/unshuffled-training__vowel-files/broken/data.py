import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset

from synth import VOWELS


class ClipStream(IterableDataset):
    """Streams clips from a folder, so that the corpus never has to fit into memory."""

    def __init__(self, folder, train=False, seed=0):
        self.paths = sorted(folder.glob("*.npy"))
        self.train = train
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.paths)

    def augment(self, clip):
        clip = np.roll(clip, self.rng.integers(len(clip)))
        return clip * self.rng.uniform(0.7, 1.0)

    def __iter__(self):
        paths = self.paths
        for path in paths:
            clip = np.load(path)
            if self.train:
                clip = self.augment(clip)
            label = VOWELS.index(path.name.split("_")[0])
            yield torch.from_numpy(np.asarray(clip, dtype=np.float32)), label


def make_loaders(root, batch_size, seed):
    train = ClipStream(root / "train", train=True, seed=seed)
    val = ClipStream(root / "val")
    test = ClipStream(root / "test")
    return [DataLoader(d, batch_size=batch_size) for d in (train, val, test)]
