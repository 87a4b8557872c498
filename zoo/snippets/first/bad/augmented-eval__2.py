import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class ECG(Dataset):
    def __init__(self, split):
        d = np.load(f"ecg_{split}.npz")
        self.x, self.y = d["x"].astype(np.float32), d["y"].astype(np.int64)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = torch.from_numpy(self.x[i])
        shift = int(torch.randint(-50, 51, (1,)))
        x = torch.roll(x, shift)
        x = x + 0.05 * torch.randn_like(x)
        return x.unsqueeze(0), int(self.y[i])


train_loader = DataLoader(ECG("train"), batch_size=64, shuffle=True)
test_loader = DataLoader(ECG("test"), batch_size=256)

model = torch.nn.Sequential(
    torch.nn.Conv1d(1, 32, 7, padding=3), torch.nn.BatchNorm1d(32), torch.nn.ReLU(), torch.nn.MaxPool1d(4),
    torch.nn.Conv1d(32, 64, 7, padding=3), torch.nn.BatchNorm1d(64), torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool1d(1), torch.nn.Flatten(), torch.nn.Linear(64, 5))
opt = torch.optim.Adam(model.parameters(), 1e-3)

for epoch in range(30):
    model.train()
    for x, y in train_loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()

model.eval()
hit = 0
with torch.no_grad():
    for x, y in test_loader:
        hit += (model(x).argmax(1) == y).sum().item()
print("test acc", hit / len(test_loader.dataset))
