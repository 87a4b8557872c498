import torch
import torch.nn.functional as F
from torch import nn

enc, dec = nn.Linear(64, 16), nn.Linear(8, 64)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=1e-3)
for x in loader:
    mu, logvar = enc(x).chunk(2, dim=1)
    z = mu + (0.5 * logvar).exp() * torch.randn_like(mu)
    recon = F.binary_cross_entropy_with_logits(dec(z), x, reduction="sum")
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
    loss = recon + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
