# %% Denoising pre-training, then a small Bayesian-ish head on frozen features
# Few labels (300 digits), plenty of unlabelled pictures. The encoder is pre-trained as a denoiser and is not touched
# afterwards. The head keeps its dropout alive when it predicts: 30 passes are averaged (MC dropout) and
# their spread tells which pictures should go to a human.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(17)
np.random.seed(17)

# %% data
digits = load_digits()
x_rest, x_test, y_rest, y_test = train_test_split(digits.data, digits.target, test_size=450, random_state=17,
                                                  stratify=digits.target)
x_free, x_lab, _, y_lab = train_test_split(x_rest, y_rest, test_size=300, random_state=18, stratify=y_rest)
to_t = lambda a: torch.from_numpy(a / 16.0 - 0.3).float()
x_free, x_lab, x_test = to_t(x_free), to_t(x_lab), to_t(x_test)
y_lab, y_test = torch.from_numpy(y_lab), torch.from_numpy(y_test)
print(len(x_free), "unlabelled,", len(x_lab), "labelled,", len(x_test), "test")

# %% stage 1: denoising autoencoder on the unlabelled part
encoder = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 48))
decoder = nn.Sequential(nn.GELU(), nn.Linear(48, 128), nn.GELU(), nn.Linear(128, 64))
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=2e-3)
for epoch in range(40):
    tot = 0.0
    for idx in torch.randperm(len(x_free)).split(64):
        clean = x_free[idx]
        noisy = (clean + 0.2 * torch.randn_like(clean)) * (torch.rand_like(clean) > 0.2)
        loss = F.mse_loss(decoder(encoder(noisy)), clean)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx)
    if epoch % 8 == 7:
        print(f"denoise epoch {epoch + 1}: mse {tot / len(x_free):.4f} (variance {x_free.var(0).mean():.4f})")

# %% stage 2: head only
encoder.requires_grad_(False)
encoder.eval()
with torch.no_grad():
    z_lab, z_test = encoder(x_lab), encoder(x_test)
    mu, sd = z_lab.mean(0), z_lab.std(0)
    z_lab, z_test = (z_lab - mu) / sd, (z_test - mu) / sd


class Head(nn.Module):
    def __init__(self, d_in, n_classes, p=0.25):
        super().__init__()
        self.a = nn.Linear(d_in, 96)
        self.b = nn.Linear(96, n_classes)
        self.p = p

    def forward(self, z):
        z = F.dropout(z, 0.1, training=True)
        h = F.dropout(torch.relu(self.a(z)), self.p, training=True)
        return self.b(h)


head = Head(48, 10)
opt = torch.optim.AdamW(head.parameters(), lr=3e-3, weight_decay=1e-2)
for step in range(600):
    idx = torch.randint(len(z_lab), (50,))
    loss = F.cross_entropy(head(z_lab[idx]), y_lab[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        print(f"head step {step + 1}: loss {loss.item():.4f}")

# %% prediction with uncertainty
with torch.no_grad():
    passes = torch.stack([head(z_test).softmax(-1) for _ in range(30)])
mean = passes.mean(0)
total = -(mean * mean.clamp_min(1e-9).log()).sum(-1)
aleatoric = -(passes * passes.clamp_min(1e-9).log()).sum(-1).mean(0)
mutual = total - aleatoric

pred = mean.argmax(-1)
right = pred == y_test
nll = -mean[torch.arange(len(y_test)), y_test].clamp_min(1e-9).log().mean()
keep = mutual.argsort()[: int(0.9 * len(mutual))]
print(f"test accuracy {right.float().mean():.3f}  nll {nll:.3f}")
print(f"accuracy on the 90% surest {right[keep].float().mean():.3f}")
print(f"mean mutual information: right {mutual[right].mean():.4f}, wrong {mutual[~right].mean():.4f}")
