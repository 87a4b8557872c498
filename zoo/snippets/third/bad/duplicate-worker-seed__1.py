import numpy as np
import torch
from torch.utils.data import Dataset, DataLoader


class NoisySpectra(Dataset):
    def __init__(self, spectra, labels, sigma=0.05):
        self.spectra, self.labels, self.sigma = spectra, labels, sigma
        self.rng = np.random.default_rng(1234)

    def __len__(self):
        return len(self.spectra)

    def __getitem__(self, i):
        s = self.spectra[i]
        s = s + self.rng.normal(0, self.sigma, size=s.shape)
        return torch.as_tensor(s, dtype=torch.float32), self.labels[i]


def loader(spectra, labels):
    return DataLoader(NoisySpectra(spectra, labels), batch_size=128, shuffle=True, num_workers=8)
