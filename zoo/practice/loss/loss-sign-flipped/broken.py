import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(20)
pixels = (torch.tensor(load_digits().data, dtype=torch.float32) > 7).float()
train, test = pixels[:1500], pixels[1500:]


class VAE(nn.Module):
    def __init__(self, z=8, h=64):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, h), nn.ReLU())
        self.mu, self.lv = nn.Linear(h, z), nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, 64))

    def forward(self, x):
        h = self.enc(x)
        mu, lv = self.mu(h), self.lv(h)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
        return self.dec(z), mu, lv


def elbo(x, logits, mu, lv):
    log_px = -F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
    kl = 0.5 * (1 + lv - mu.pow(2) - lv.exp()).sum(1)
    return (log_px - kl).mean()


model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(12):
    for xb in train[torch.randperm(len(train))].split(50):
        loss = -elbo(xb, *model(xb))
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 50.0)
        opt.step()
    print(f"epoch {epoch} -elbo {loss.item():.2f}")

model.eval()
with torch.no_grad():
    logits, mu, lv = model(test)
ok = ((logits > 0).float() == test).float().mean()
print(f"reconstructed pixels {ok.item():.3f}")
