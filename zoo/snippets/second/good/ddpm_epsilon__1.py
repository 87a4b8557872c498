import torch
import torch.nn.functional as F


class Diffusion:
    def __init__(self, steps=1000, beta_start=1e-4, beta_end=0.02, device="cuda"):
        self.steps = steps
        self.device = device
        self.beta = torch.linspace(beta_start, beta_end, steps, device=device)
        self.alpha = 1.0 - self.beta
        self.alpha_hat = torch.cumprod(self.alpha, dim=0)

    def noise_images(self, x, t):
        a = torch.sqrt(self.alpha_hat[t])[:, None, None, None]
        b = torch.sqrt(1 - self.alpha_hat[t])[:, None, None, None]
        eps = torch.randn_like(x)
        return a * x + b * eps, eps

    @torch.no_grad()
    def sample(self, model, n, size):
        model.eval()
        x = torch.randn(n, 3, size, size, device=self.device)
        for i in reversed(range(1, self.steps)):
            t = torch.full((n,), i, device=self.device, dtype=torch.long)
            pred = model(x, t)
            a, ah, b = self.alpha[i], self.alpha_hat[i], self.beta[i]
            noise = torch.randn_like(x) if i > 1 else torch.zeros_like(x)
            x = (x - (1 - a) / torch.sqrt(1 - ah) * pred) / torch.sqrt(a) + torch.sqrt(b) * noise
        model.train()
        return x.clamp(-1, 1)


def train(model, loader, epochs, device="cuda"):
    diff = Diffusion(device=device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    model.train()
    for epoch in range(epochs):
        for images, _ in loader:
            images = images.to(device)
            t = torch.randint(1, diff.steps, (images.size(0),), device=device)
            x_t, noise = diff.noise_images(images, t)
            loss = F.mse_loss(model(x_t, t), noise)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())
        diff.sample(model, 8, 64)
