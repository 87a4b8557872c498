"""
Variational autoencoder, 8x8 digits.
Notation follows Kingma & Welling: q(z|x) encoder, p(x|z) decoder.
p(x|z) is a Gaussian of fixed width SIGMA around the decoder's output.
Objective: negative ELBO in nats per image (up to the Gaussian's constant)
         = squared error summed over pixels / (2 SIGMA^2) + beta * KL, averaged over the batch.
"""
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split
from sklearn.datasets import load_digits

torch.manual_seed(0)
SIGMA, K = 0.25, 6

x = torch.tensor(load_digits().data, dtype=torch.float32).div_(16.)
train_set, valid_set, test_set = random_split(TensorDataset(x), [1297, 200, 300],
                                              generator=torch.Generator().manual_seed(0))
train_loader = DataLoader(train_set, batch_size=100, shuffle=True)
valid_loader = DataLoader(valid_set, batch_size=200)
test_loader = DataLoader(test_set, batch_size=300)


class VAE(nn.Module):
    def __init__(self, d=64, h=96, k=K):
        super().__init__()
        self.fc1 = nn.Linear(d, h)
        self.fc_mu = nn.Linear(h, k)
        self.fc_logvar = nn.Linear(h, k)
        self.fc3 = nn.Linear(k, h)
        self.fc4 = nn.Linear(h, d)

    def encode(self, x):
        h = torch.tanh(self.fc1(x * 2 - 1))
        return self.fc_mu(h), self.fc_logvar(h)

    def decode(self, z):
        return self.fc4(torch.tanh(self.fc3(z)))

    def forward(self, x, generator=None):
        mu, logvar = self.encode(x)
        eps = torch.randn(mu.shape, generator=generator)     # the bound needs a sample in evaluation too
        return self.decode(mu + torch.exp(0.5 * logvar) * eps), mu, logvar


def neg_elbo(recon, x, mu, logvar, beta=1.0):
    rec = nn.functional.mse_loss(recon, x, reduction='sum') / (2 * SIGMA ** 2) / x.size(0)
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) / x.size(0)
    return rec + beta * kl, rec, kl


x_train = torch.stack([train_set[i][0] for i in range(len(train_set))])
chance = (x_train - x_train.mean(0)).pow(2).sum(1).mean().item() / (2 * SIGMA ** 2)
print(f'the mean image alone scores {chance:.2f} nats')

model = VAE()
with torch.no_grad():
    model.fc4.bias.copy_(x_train.mean(0))               # start from the mean image
optimizer = optim.Adam(model.parameters(), lr=5e-3)
EPOCHS, WARM = 150, 15
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS, eta_min=5e-5)


def evaluate(loader, draws=8):
    """Monte-Carlo bound: several draws of z per image, always the same noise."""
    model.eval()
    g = torch.Generator().manual_seed(4321)
    sums, n = [0., 0., 0.], 0
    with torch.no_grad():
        for (xb,) in loader:
            for _ in range(draws):
                recon, mu, logvar = model(xb, generator=g)
                parts = neg_elbo(recon, xb, mu, logvar)
                sums = [s + p.item() * len(xb) for s, p in zip(sums, parts)]
                n += len(xb)
    return [s / n for s in sums]


for epoch in range(1, EPOCHS + 1):
    model.train()
    beta = min(1.0, epoch / WARM)                       # KL warm-up
    tot, n = 0., 0
    for (xb,) in train_loader:
        optimizer.zero_grad()
        recon, mu, logvar = model(xb)
        loss, rec, kl = neg_elbo(recon, xb, mu, logvar, beta)
        loss.backward()
        optimizer.step()
        tot += loss.item() * len(xb); n += len(xb)
    scheduler.step()
    if epoch % 10 == 0 or epoch == 1:
        v, r, k = evaluate(valid_loader)
        print(f'====> Epoch {epoch:3d} beta {beta:.2f} train {tot / n:.3f} | valid {v:.3f} (rec {r:.3f} kl {k:.3f})')

t, r, k = evaluate(test_loader)
print(f'test: -ELBO {t:.3f}, rec {r:.3f}, kl {k:.3f}')

# two samples drawn from the prior, as text
with torch.no_grad():
    imgs = model.decode(torch.randn(2, K)).clamp(0, 1).view(2, 8, 8)
for left, right in zip(*imgs.tolist()):
    print('   '.join(''.join(' .:*#'[min(4, int(v * 5))] for v in row) for row in (left, right)))
