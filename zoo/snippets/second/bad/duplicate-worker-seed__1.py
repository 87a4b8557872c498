import numpy as np
import torch
from torch.utils.data import Dataset, DataLoader


class EEGWindows(Dataset):
    """Random 4 s windows out of long recordings, with gaussian jitter."""

    def __init__(self, recordings, labels, win=1024):
        self.recordings = recordings
        self.labels = labels
        self.win = win

    def __len__(self):
        return len(self.recordings)

    def __getitem__(self, idx):
        rec = self.recordings[idx]
        start = np.random.randint(0, rec.shape[1] - self.win)
        seg = rec[:, start:start + self.win].astype(np.float32)
        seg = seg + np.random.normal(0, 0.05, seg.shape).astype(np.float32)
        return torch.from_numpy(seg), int(self.labels[idx])


def make_loader(recordings, labels):
    np.random.seed(123)
    torch.manual_seed(123)
    return DataLoader(
        EEGWindows(recordings, labels),
        batch_size=64,
        shuffle=True,
        num_workers=8,
        drop_last=True,
    )


def fit(model, loader, opt, loss_fn, epochs, device="cuda"):
    model.to(device).train()
    for _ in range(epochs):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            opt.zero_grad(set_to_none=True)
            loss_fn(model(x), y).backward()
            opt.step()
