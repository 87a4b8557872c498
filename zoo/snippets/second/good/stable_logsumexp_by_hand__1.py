import torch


def log_softmax(x, dim=-1):
    m = x.max(dim=dim, keepdim=True).values
    z = x - m
    return z - torch.log(torch.exp(z).sum(dim=dim, keepdim=True))


def sigmoid(x):
    pos = x >= 0
    e = torch.exp(-x.abs())
    return torch.where(pos, 1 / (1 + e), e / (1 + e))


def nll(logits, y):
    return -log_softmax(logits).gather(1, y[:, None]).mean()


def mixture_nll(pi_logits, mu, log_sigma, x):
    """Mixture density network, all (N, K)."""
    log_pi = log_softmax(pi_logits)
    z = (x[:, None] - mu) * torch.exp(-log_sigma.clamp(-7, 7))
    log_p = -0.5 * z ** 2 - log_sigma.clamp(-7, 7) - 0.9189385
    return -torch.logsumexp(log_pi + log_p, dim=1).mean()


def train(net, loader, epochs=50):
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(epochs):
        for a, x in loader:
            opt.zero_grad()
            loss = mixture_nll(*net(a), x)
            loss.backward()
            opt.step()
