import torch
from torch import nn

torch.manual_seed(10)
x = torch.rand(500, 1) * 4 - 2
y = torch.sin(2 * x) + 0.1 * torch.randn_like(x)
net = nn.Sequential(nn.Linear(1, 128), nn.ReLU(), nn.Dropout(0.05), nn.Linear(128, 128), nn.ReLU(), nn.Dropout(0.05),
                    nn.Linear(128, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(60):
    for i in torch.randperm(500).split(50):
        loss = nn.functional.mse_loss(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 12 == 11:
        print(f"epoch {epoch + 1} mse {loss.item():.4f}")


def posterior(net, q, draws=50):
    """Uncertainty from stochastic passes: the dropout layers are kept active on purpose."""
    net.train()
    with torch.no_grad():
        s = torch.stack([net(q) for _ in range(draws)])
    return s.mean(0), s.std(0)


grid = torch.linspace(-2, 2, 100).unsqueeze(1)
mean, std = posterior(net, grid)
far = posterior(net, torch.full((1, 1), 6.0))[1].item()
print(f"mean sd inside {std.mean():.3f}, far outside {far:.3f}")
print(f"rmse {((mean - torch.sin(2 * grid)) ** 2).mean().sqrt():.4f}")
