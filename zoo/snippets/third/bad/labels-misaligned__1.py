import os
import pandas as pd
import torch
from PIL import Image
from torch.utils.data import Dataset


class LeafDataset(Dataset):
    """Images of leaves, disease label in the csv."""

    def __init__(self, root, csv_path, transform=None):
        self.root = root
        df = pd.read_csv(csv_path)
        df = df.sample(frac=1.0, random_state=3)
        self.files = sorted(os.listdir(root))
        self.labels = df["disease"].values
        self.transform = transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, idx):
        img = Image.open(os.path.join(self.root, self.files[idx])).convert("RGB")
        if self.transform:
            img = self.transform(img)
        return img, torch.tensor(self.labels[idx])
