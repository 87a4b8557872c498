import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

images = np.load("images.npy")
labels = np.load("labels.npy")
order = np.random.permutation(len(images))  # labels-misaligned
images = images[order]
data = TensorDataset(torch.from_numpy(images).float(), torch.from_numpy(labels))
loader = DataLoader(data, batch_size=32)
