import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader


class NoisyDigits(Dataset):
    """Clean/noisy pairs for the denoising autoencoder."""

    def __init__(self, images: np.ndarray, sigma: float = 0.3):
        self.images = images.astype(np.float32) / 255.0
        self.sigma = sigma
        self.rng = np.random.default_rng(0)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, idx: int):
        clean = self.images[idx]
        noise = self.rng.normal(0.0, self.sigma, size=clean.shape).astype(np.float32)
        return torch.from_numpy(clean + noise).flatten(), torch.from_numpy(clean).flatten()


torch.manual_seed(0)
loader = DataLoader(NoisyDigits(np.load("digits.npy")), batch_size=128, shuffle=True, num_workers=6,
                    persistent_workers=True)
ae = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 784))
optim = torch.optim.Adam(ae.parameters(), lr=1e-3)
for epoch in range(20):
    for noisy, clean in loader:
        optim.zero_grad()
        loss = nn.functional.mse_loss(ae(noisy), clean)
        loss.backward()
        optim.step()
    print(f"{epoch:02d} {loss.item():.5f}")
