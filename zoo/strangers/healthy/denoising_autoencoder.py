import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader

EPOCHS = 50
BATCH_SIZE = 64
LR = 3e-3
NOISE_STD = 0.3


class DenoisingAutoencoder(nn.Module):
    def __init__(self, latent_dim=24):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(64, 128),
            nn.ReLU(),
            nn.Linear(128, latent_dim),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent_dim, 128),
            nn.ReLU(),
            nn.Linear(128, 64),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


def add_noise(x, generator=None):
    noise = torch.randn(x.shape, generator=generator) * NOISE_STD
    return x + noise


def reconstruction_error(model, clean, noisy):
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(noisy), clean).item()


def main():
    torch.manual_seed(1)
    X = load_digits().data.astype(np.float32) / 16.0        # pixels in [0, 1]
    X_train, X_test = train_test_split(X, test_size=0.2, random_state=1)
    X_train, X_val = train_test_split(X_train, test_size=0.15, random_state=1)
    X_val, X_test = torch.tensor(X_val), torch.tensor(X_test)

    # the same noisy pictures at every evaluation
    g = torch.Generator().manual_seed(1)
    X_val_noisy, X_test_noisy = add_noise(X_val, g), add_noise(X_test, g)

    loader = DataLoader(torch.tensor(X_train), batch_size=BATCH_SIZE, shuffle=True)
    model = DenoisingAutoencoder()
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=LR)

    for epoch in range(1, EPOCHS + 1):
        model.train()
        total, n = 0.0, 0
        for clean in loader:
            noisy = add_noise(clean)
            loss = criterion(model(noisy), clean)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * clean.size(0)
            n += clean.size(0)
        if epoch % 5 == 0 or epoch == 1:
            val = reconstruction_error(model, X_val, X_val_noisy)
            print(f"Epoch [{epoch}/{EPOCHS}] loss: {total / n:.5f} val loss: {val:.5f}")

    err = reconstruction_error(model, X_test, X_test_noisy)
    noisy_err = nn.functional.mse_loss(X_test_noisy, X_test).item()
    mean_err = nn.functional.mse_loss(torch.tensor(X_train).mean(0).expand_as(X_test), X_test).item()
    print(f"test MSE {err:.5f} (noisy picture {noisy_err:.5f}, mean picture {mean_err:.5f})")


if __name__ == "__main__":
    main()
