import torch
import torch.nn as nn
import torch.nn.functional as F


class DDPM(nn.Module):
    def __init__(self, eps_model, T=1000):
        super().__init__()
        self.eps_model, self.T = eps_model, T
        beta = torch.linspace(1e-4, 0.02, T)
        alpha = 1 - beta
        abar = torch.cumprod(alpha, 0)
        for name, v in dict(beta=beta, alpha=alpha, abar=abar).items():
            self.register_buffer(name, v)

    def loss(self, x0):
        t = torch.randint(0, self.T, (x0.size(0),), device=x0.device)
        noise = torch.randn_like(x0)
        a = self.abar[t].view(-1, 1, 1, 1)
        return F.mse_loss(self.eps_model(a.sqrt() * x0 + (1 - a).sqrt() * noise, t), noise)

    @torch.no_grad()
    def sample(self, shape):
        was = self.training
        self.eval()
        x = torch.randn(shape, device=self.beta.device)
        for t in reversed(range(self.T)):
            tt = torch.full((shape[0],), t, device=x.device, dtype=torch.long)
            eps = self.eps_model(x, tt)
            x = (x - self.beta[t] / (1 - self.abar[t]).sqrt() * eps) / self.alpha[t].sqrt()
            if t > 0:
                x = x + self.beta[t].sqrt() * torch.randn_like(x)
        self.train(was)
        return x
