"""Variational autoencoder on black-and-white 8x8 digits."""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class VAE(nn.Module):
    def __init__(self, latent=6, hidden=96):
        super().__init__()
        self.fc1 = nn.Linear(64, hidden)
        self.fc_mu = nn.Linear(hidden, latent)
        self.fc_logvar = nn.Linear(hidden, latent)
        self.fc3 = nn.Linear(latent, hidden)
        self.fc4 = nn.Linear(hidden, 64)

    def encode(self, x):
        h = torch.tanh(self.fc1(x))
        return self.fc_mu(h), self.fc_logvar(h)

    def reparameterize(self, mu, logvar):
        return mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)

    def decode(self, z):
        return torch.sigmoid(self.fc4(torch.tanh(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


def train(model, loader, optimizer):
    model.train()
    train_loss = 0.0
    for (x,) in loader:
        optimizer.zero_grad()
        recon, mu, logvar = model(x)
        loss = loss_function(recon, x, mu, logvar)
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    return train_loss / len(loader.dataset)


def test(model, loader):
    model.eval()
    total, right = 0.0, 0.0
    with torch.no_grad():
        for (x,) in loader:
            recon, mu, logvar = model(x)
            total += loss_function(recon, x, mu, logvar).item()
            sharp = model.decode(mu).round()
            right += (sharp == x).float().mean(dim=1).sum().item()
    return total / len(loader.dataset), right / len(loader.dataset)


if __name__ == "__main__":
    torch.manual_seed(4)
    pixels = torch.from_numpy((load_digits().data > 7).astype("float32"))
    train_x, test_x = train_test_split(pixels, test_size=0.25, random_state=1)
    train_loader = DataLoader(TensorDataset(train_x), batch_size=64, shuffle=True)
    test_loader = DataLoader(TensorDataset(test_x), batch_size=225)

    vae = VAE()
    optimizer = optim.Adam(vae.parameters(), lr=5e-3)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=30)
    for epoch in range(1, 31):
        train_loss = train(vae, train_loader, optimizer)
        scheduler.step()
        if epoch == 1 or epoch % 5 == 0:
            test_loss, _ = test(vae, test_loader)
            print(f"epoch {epoch:2d}  train {train_loss:.2f}  test {test_loss:.2f} nats per image")
    print(f"pixels reconstructed correctly {test(vae, test_loader)[1]:.3f}")
