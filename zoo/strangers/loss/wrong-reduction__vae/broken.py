# Variational autoencoder on 8x8 digits; the latent code is checked with a nearest-neighbour probe.
import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional as F
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

torch.manual_seed(1)
np.random.seed(1)


class VAE(nn.Module):
    def __init__(self, z_dim=8, h=128):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(64, h)
        self.fc2 = nn.Linear(h, h)
        self.to_mu = nn.Linear(h, z_dim)
        self.to_logvar = nn.Linear(h, z_dim)
        self.fc3 = nn.Linear(z_dim, h)
        self.fc4 = nn.Linear(h, h)
        self.fc5 = nn.Linear(h, 64)

    def encode(self, x):
        h = F.relu(self.fc2(F.relu(self.fc1(x))))
        return self.to_mu(h), self.to_logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.randn_like(std)

    def decode(self, z):
        return torch.sigmoid(self.fc5(F.relu(self.fc4(F.relu(self.fc3(z))))))

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def elbo_terms(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="mean")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()
    return bce, kld


def data():
    d = load_digits()
    order = np.random.permutation(len(d.target))
    x = torch.tensor(d.data[order] / 16.0, dtype=torch.float32)
    y = d.target[order]
    return x[:1400], y[:1400], x[1400:], y[1400:]


def probe(model, xa, ya, xb, yb):
    with torch.no_grad():
        za, zb = model.encode(xa)[0].numpy(), model.encode(xb)[0].numpy()
    return KNeighborsClassifier(5).fit(za, ya).score(zb, yb)


def pixel_error(model, x):
    with torch.no_grad():
        mu, _ = model.encode(x)
        return ((model.decode(mu) - x) ** 2).mean().item()


def main():
    xtr, ytr, xte, yte = data()
    model = VAE()
    optimizer = optim.Adam(model.parameters(), lr=2e-3)
    base = ((xte - xtr.mean(0)) ** 2).mean().item()
    print("pixel mse of the mean digit: %.4f" % base)
    for epoch in range(1, 61):
        model.train()
        sums = np.zeros(2)
        for idx in torch.randperm(len(xtr)).split(64):
            x = xtr[idx]
            recon, mu, logvar = model(x)
            bce, kld = elbo_terms(recon, x, mu, logvar)
            loss = bce + kld
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sums += np.array([bce.item(), kld.item()]) * len(idx)
        if epoch % 6 == 0 or epoch == 1:
            model.eval()
            r, k = sums / len(xtr)
            print("====> Epoch: {:2d} recon {:.4f} kl {:.4f} | test pixel mse {:.4f} | knn probe {:.4f}".format(
                epoch, r, k, pixel_error(model, xte), probe(model, xtr, ytr, xte, yte)))
    explained = 1 - pixel_error(model, xte) / base
    print("share of pixel variance explained on test: %.4f" % explained)


if __name__ == "__main__":
    main()
