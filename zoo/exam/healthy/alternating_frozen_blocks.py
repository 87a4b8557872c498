import torch
from torch import nn

torch.manual_seed(9)
U, I, K = 120, 80, 3
true_u, true_i = torch.randn(U, K), torch.randn(I, K)
full = true_u @ true_i.T
seen = torch.rand(U, I) < 0.35
ratings = full + 0.05 * torch.randn(U, I)


class Factor(nn.Module):
    def __init__(self, k=K):
        super().__init__()
        self.users = nn.Parameter(0.3 * torch.randn(U, k))
        self.items = nn.Parameter(0.3 * torch.randn(I, k))

    def forward(self):
        return self.users @ self.items.T


def only(model, name):
    for n, p in model.named_parameters():
        p.requires_grad_(n == name)
    return torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.1)


model = Factor()
for sweep in range(12):
    for block in ("users", "items"):
        opt = only(model, block)
        for _ in range(25):
            loss = (model() - ratings)[seen].pow(2).mean() + 1e-4 * sum(p.pow(2).mean() for p in model.parameters())
            opt.zero_grad()
            loss.backward()
            opt.step()
    if sweep % 3 == 2:
        print(f"sweep {sweep + 1} loss {loss.item():.4f}")
with torch.no_grad():
    print(f"held-out rmse {(model() - full)[~seen].pow(2).mean().sqrt():.4f}")
