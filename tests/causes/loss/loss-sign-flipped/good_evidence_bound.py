import torch
import torch.nn.functional as F


def vae_loss(rebuilt, x, mu, log_var, beta):
    kl = -0.5 * torch.sum(1 + log_var - mu.pow(2) - log_var.exp(), dim=1).mean()
    return F.mse_loss(rebuilt, x, reduction="sum") / len(x) + beta * kl


def bound_loss(rebuilt, x, mu, log_var):
    log_likelihood = -F.binary_cross_entropy_with_logits(rebuilt, x, reduction="sum") / len(x)
    kl = 0.5 * (mu * mu + log_var.exp() - 1 - log_var).sum() / len(x)
    elbo = log_likelihood - kl
    return -elbo


def free_bits_loss(rebuilt, x, mu, sigma, floor):
    kl = 0.5 * (mu.square() + sigma.square() - torch.log(sigma.square()) - 1).sum(-1)
    return F.mse_loss(rebuilt, x) + torch.clamp(kl - floor, min=0).mean()


def gaussian_nll_loss(mu, log_var, y):
    return 0.5 * (log_var + (y - mu) ** 2 / log_var.exp()).mean()
