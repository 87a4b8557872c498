import torch
import torch.nn.functional as F
from torch.distributions import Normal, kl_divergence


def beta_schedule(step, warmup=10_000, beta=1.0):
    return beta * min(1.0, step / warmup)


def train(encoder, decoder, loader, epochs):
    opt = torch.optim.Adamax([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
    prior = Normal(0.0, 1.0)
    step = 0
    for _ in range(epochs):
        for x in loader:
            mu, log_sigma = encoder(x).chunk(2, dim=-1)
            q = Normal(mu, F.softplus(log_sigma) + 1e-4)
            z = q.rsample()
            log_px = -F.mse_loss(decoder(z), x, reduction="none").flatten(1).sum(1)
            kl = kl_divergence(q, prior).sum(-1)
            objective = (log_px - beta_schedule(step) * kl).mean()
            opt.zero_grad()
            (-objective).backward()
            opt.step()
            step += 1
