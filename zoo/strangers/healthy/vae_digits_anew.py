import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
import torch.nn.functional as F

torch.manual_seed(8)
X = torch.tensor(load_digits().data, dtype=torch.float32) / 16
train, test = train_test_split(X, test_size=0.2, random_state=8)


class VAE(nn.Module):
    def __init__(self, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 96), nn.ReLU())
        self.mu, self.logvar = nn.Linear(96, z), nn.Linear(96, z)
        self.dec = nn.Sequential(nn.Linear(z, 96), nn.ReLU(), nn.Linear(96, 64))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp() if self.training else mu
        return self.dec(z), mu, logvar


def negative_elbo(x, out, mu, logvar):
    # sums over pixels and latents, mean over the batch: nats per image
    rec = F.binary_cross_entropy_with_logits(out, x, reduction="sum") / len(x)
    kl = -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum() / len(x)
    return rec, kl


model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 50)
for epoch in range(50):
    model.train()
    total = 0.0
    for xb in train[torch.randperm(len(train))].split(64):
        rec, kl = negative_elbo(xb, *model(xb))
        loss = rec + kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
    sched.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} -elbo {total / len(train):.3f}")

model.eval()
with torch.no_grad():
    out, mu, logvar = model(test)
    rec, kl = negative_elbo(test, out, mu, logvar)
    err = F.mse_loss(out.sigmoid(), test).item()
    base = F.mse_loss(train.mean(0).expand_as(test), test).item()
print(f"test rec {rec:.2f} kl {kl:.2f}; mse {err:.4f} against {base:.4f} for the mean image")
