import torch
import torch.nn as nn
from torch.utils.data import DataLoader


def train_autoencoder(images, epochs=30, lr=1e-3):
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 2, stride=2), nn.ReLU(),
        nn.ConvTranspose2d(16, 1, 2, stride=2),
    )
    loader = DataLoader(images, batch_size=64, shuffle=True)
    for epoch in range(epochs):
        total = 0.0
        for x in loader:
            optimizer = torch.optim.Adam(model.parameters(), lr=lr)
            loss = nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        print(f"epoch {epoch}: {total / len(images):.5f}")
    return model
