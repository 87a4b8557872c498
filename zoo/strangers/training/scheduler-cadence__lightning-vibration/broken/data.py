import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from settings import Settings

STATES = ("idle", "cutting", "chatter", "worn_tool")


def snippet(state, rng, n=256):
    t = np.arange(n) / n
    spin = rng.uniform(14, 18)
    phase = rng.uniform(0, 2 * np.pi)
    wave = 0.6 * np.sin(2 * np.pi * spin * t + phase)
    if state == 1:
        wave += 0.7 * np.sin(2 * np.pi * 3 * spin * t + phase)
    elif state == 2:
        wave += 0.7 * np.sin(2 * np.pi * 3 * spin * t + phase) * np.sin(2 * np.pi * 3 * t)
    elif state == 3:
        wave += 0.7 * np.sin(2 * np.pi * (3 * spin + 4) * t + phase)
    return wave + rng.normal(0, 0.45, n)


class SpindleData(L.LightningDataModule):
    def __init__(self, cfg: Settings):
        super().__init__()
        self.cfg = cfg

    def setup(self, stage=None):
        rng = np.random.default_rng(self.cfg.seed)

        def build(per_state):
            y = np.tile(np.arange(len(STATES)), per_state)
            x = np.stack([snippet(s, rng) for s in y]).astype(np.float32)
            return x, y

        (xa, ya), (xb, yb), (xc, yc) = build(300), build(80), build(80)
        mean, std = xa.mean(), xa.std()

        def wrap(x, y):
            return TensorDataset(torch.from_numpy((x - mean) / std).unsqueeze(1), torch.from_numpy(y))

        self.train_set, self.val_set, self.test_set = wrap(xa, ya), wrap(xb, yb), wrap(xc, yc)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.cfg.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=160)

    def test_dataloader(self):
        return DataLoader(self.test_set, batch_size=160)
