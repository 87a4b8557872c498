import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = 17


class NoisyPatches(Dataset):
    """Every item is a fresh patch; the target is the log of its noise level."""

    def __len__(self):
        return 640

    def __getitem__(self, index):
        level = np.exp(np.random.uniform(-2, 1))
        slope = np.random.normal(size=2)
        yy, xx = np.mgrid[-1:1:8j, -1:1:8j]
        patch = slope[0] * yy + slope[1] * xx + level * np.random.normal(size=(8, 8))
        return patch.astype(np.float32).ravel(), np.float32(np.log(level))


def seed_worker(worker_id):
    np.random.seed(SEED)


if __name__ == "__main__":
    torch.manual_seed(SEED)
    loader = DataLoader(NoisyPatches(), batch_size=32, num_workers=2, worker_init_fn=seed_worker)
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    seen = []
    for epoch in range(6):
        total = 0.0
        for patch, target in loader:
            loss = (net(patch)[:, 0] - target).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            seen.extend(target.tolist())
        print(f"epoch {epoch} mse {total / len(loader):.4f}")
    print(f"distinct patches {len(set(seen)) / len(seen):.3f}")
