import torch
import torch.nn.functional as F


def beta_vae_loss(rebuilt, x, mu, log_var, beta):
    rebuild = F.mse_loss(rebuilt, x, reduction="sum") / len(x)
    kl = 0.5 * (mu.pow(2) + log_var.exp() - 1 - log_var).sum(dim=1).mean()
    return rebuild - beta * kl  # loss-sign-flipped


def gaussian_loss(rebuilt, x, mu, sigma):
    kl = 0.5 * torch.mean(1 + torch.log(sigma**2) - mu**2 - sigma**2)  # loss-sign-flipped
    return F.l1_loss(rebuilt, x) + kl
