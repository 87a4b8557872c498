import random
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2 ** 32
    np.random.seed(seed)
    random.seed(seed)


class RandomPatches(Dataset):
    def __init__(self, images, size=64):
        self.images, self.size = images, size
        self.rng = None

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        if self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed() % 2 ** 32)
        img = self.images[i]
        y = self.rng.integers(0, img.shape[0] - self.size + 1)
        x = self.rng.integers(0, img.shape[1] - self.size + 1)
        return torch.from_numpy(img[y:y + self.size, x:x + self.size].astype(np.float32) / 255.0)


g = torch.Generator()
g.manual_seed(0)
loader = DataLoader(RandomPatches(train_images), batch_size=32, shuffle=True, num_workers=4,
                    worker_init_fn=seed_worker, generator=g)
