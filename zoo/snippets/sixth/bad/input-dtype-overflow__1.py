import cv2
import glob
import numpy as np
import torch
from torch.utils.data import Dataset, DataLoader


class MotionDataset(Dataset):
    """pairs of consecutive frames -> moving / not moving"""

    def __init__(self, root, labels):
        self.files = sorted(glob.glob(root + '/*.png'))
        self.labels = labels

    def __len__(self):
        return len(self.files) - 1

    def __getitem__(self, idx):
        prev = cv2.imread(self.files[idx], cv2.IMREAD_GRAYSCALE)
        curr = cv2.imread(self.files[idx + 1], cv2.IMREAD_GRAYSCALE)
        diff = curr - prev
        diff = diff.astype(np.float32) / 255.0
        x = torch.from_numpy(diff).unsqueeze(0)
        y = torch.tensor(self.labels[idx], dtype=torch.long)
        return x, y


train_set = MotionDataset('frames/train', train_labels)
train_loader = DataLoader(train_set, batch_size=32, shuffle=True, num_workers=4)

for epoch in range(20):
    model.train()
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
