"""
Variational autoencoder, written the way I remember it from Keras:
    vae = VAE(latent_dim=6); vae.normalizer.adapt(x_train); vae.compile(...); vae.fit(...); vae.evaluate(...)
but in PyTorch. The data are binary 10x10 pictures of one filled rectangle, with a few flipped pixels.
"""
import torch
from torch import nn
from torch.nn import functional as F

SIDE = 10


def rectangles(n, seed):
    """position and size vary, 4% of the pixels flip; no picture occurs twice"""
    g = torch.Generator().manual_seed(seed)
    r = lambda lo, hi: torch.randint(lo, hi + 1, (n, 1), generator=g)
    h, w = r(3, 6), r(3, 6)
    top = (torch.rand(n, 1, generator=g) * (SIDE - h + 1)).long()
    left = (torch.rand(n, 1, generator=g) * (SIDE - w + 1)).long()
    i = torch.arange(SIDE)
    rows, cols = (i >= top) & (i < top + h), (i >= left) & (i < left + w)
    img = rows[:, :, None] & cols[:, None, :]
    flip = torch.rand(img.shape, generator=g) < 0.04
    pictures = torch.unique(img ^ flip, dim=0).float()                 # sorted, so mix again
    return pictures[torch.randperm(len(pictures), generator=g)]


class Normalization(nn.Module):
    """Keras-style preprocessing layer: statistics are learned by adapt(), stored as buffers, part of the model."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("std", torch.ones(()))

    def adapt(self, data):
        self.mean.copy_(data.mean())
        self.std.copy_(data.std())

    def forward(self, x):
        return (x - self.mean) / self.std


class Model(nn.Module):
    """just enough of the Keras surface"""

    def compile(self, optimizer, schedule=None):
        self.optimizer, self.schedule = optimizer, schedule

    def fit(self, x, validation_data, epochs, batch_size):
        history = []
        for epoch in range(epochs):
            self.train()
            sums = {}
            for idx in torch.randperm(len(x)).split(batch_size):
                for k, v in self.train_step(x[idx]).items():
                    sums[k] = sums.get(k, 0.0) + v * len(idx)
            logs = {k: v / len(x) for k, v in sums.items()}
            logs |= {f"val_{k}": v for k, v in self.evaluate(validation_data).items()}
            if self.schedule is not None:
                self.schedule.step()
            history.append(logs)
            print(f"Epoch {epoch + 1}/{epochs} - " + " - ".join(f"{k}: {v:.3f}" for k, v in logs.items()))
        return history

    @torch.no_grad()
    def evaluate(self, x, batch_size=500):
        self.eval()
        sums = {}
        for xb in x.split(batch_size):
            for k, v in self.test_step(xb).items():
                sums[k] = sums.get(k, 0.0) + v * len(xb)
        return {k: v / len(x) for k, v in sums.items()}


class VAE(Model):
    def __init__(self, latent_dim=6, width=128):
        super().__init__()
        self.normalizer = Normalization()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(SIDE * SIDE, width), nn.ReLU(), nn.Linear(width, 2 * latent_dim))
        self.decoder = nn.Sequential(nn.Linear(latent_dim, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
                                     nn.Linear(width, SIDE * SIDE), nn.Unflatten(1, (SIDE, SIDE)))
        self.latent_dim = latent_dim

    def losses(self, x):
        mean, log_var = self.encoder(self.normalizer(x)).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        # nats per picture: sum over pixels and latents, mean over the batch
        recon = F.binary_cross_entropy_with_logits(self.decoder(z), x, reduction="none").sum(dim=(1, 2)).mean()
        kl = 0.5 * (mean ** 2 + log_var.exp() - 1 - log_var).sum(1).mean()
        return recon, kl

    def train_step(self, x):
        recon, kl = self.losses(x)
        loss = recon + kl
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {"loss": loss.item(), "recon": recon.item(), "kl": kl.item()}

    def test_step(self, x):
        recon, kl = self.losses(x)
        return {"loss": (recon + kl).item(), "recon": recon.item(), "kl": kl.item()}

    @torch.no_grad()
    def predict(self, x):
        self.eval()
        mean, _ = self.encoder(self.normalizer(x)).chunk(2, dim=1)
        return torch.sigmoid(self.decoder(mean))


if __name__ == "__main__":
    torch.manual_seed(8)
    pictures = rectangles(20500, seed=1)
    x_train, x_val, x_test = pictures[:-4000], pictures[-4000:-2000], pictures[-2000:]
    print(len(x_train), "training pictures")
    vae = VAE()
    vae.normalizer.adapt(x_train)
    EPOCHS = 20
    opt = torch.optim.Adam(vae.parameters(), lr=2e-3)
    vae.compile(opt, torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS, eta_min=1e-4))
    p = x_train.mean(0).clamp(1e-3, 1 - 1e-3)
    print(f"independent pixels would cost {F.binary_cross_entropy(p.expand_as(x_val), x_val, reduction='none').sum((1, 2)).mean():.2f} nats")
    vae.fit(x_train, validation_data=x_val, epochs=EPOCHS, batch_size=128)

    result = vae.evaluate(x_test)
    agree = ((vae.predict(x_test) > 0.5).float() == x_test).float().mean()
    print("test:", {k: round(v, 3) for k, v in result.items()}, f"pixel agreement {agree:.4f} (4% are noise)")
    with torch.no_grad():
        vae.eval()
        imagined = torch.sigmoid(vae.decoder(torch.randn(3, vae.latent_dim))) > 0.5
    for r in range(SIDE):
        print("   ".join("".join("#" if v else "." for v in img[r]) for img in imagined))
