import torch
from torch import nn
from torch.utils.data import DataLoader


class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.b = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        return self.b(torch.relu(self.norm(self.a(x))))


train_loader = DataLoader(torch.load("scans.pt"), batch_size=1, shuffle=True)  # norm-batch-of-one
model = Segmenter()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
for epoch in range(50):
    model.train()
    for image, mask in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(image), mask)
        loss.backward()
        optimizer.step()
