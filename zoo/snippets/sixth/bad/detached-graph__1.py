import numpy as np
import torch
import torch.nn as nn


class SpectralNet(nn.Module):
    def __init__(self, n_in, n_hidden, n_classes):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(n_in, n_hidden),
            nn.ReLU(),
            nn.Linear(n_hidden, 128),
        )
        self.classifier = nn.Linear(65, n_classes)

    def forward(self, x):
        h = self.encoder(x)
        h = h.detach().cpu().numpy()
        spec = np.abs(np.fft.rfft(h, axis=1)).astype(np.float32)
        spec = torch.from_numpy(spec).to(x.device)
        return self.classifier(spec)


model = SpectralNet(256, 512, 4).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(epochs):
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
