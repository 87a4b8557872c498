import torch
from torch import nn

torch.manual_seed(12)
torch.set_default_dtype(torch.float64)
t = torch.linspace(0, 1, 120).unsqueeze(1)
obs = torch.exp(-2 * t) * torch.cos(9 * t) + 0.01 * torch.randn_like(t)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=20, history_size=20, line_search_fn="strong_wolfe")
calls = []


def closure():
    opt.zero_grad()
    loss = (net(t) - obs).pow(2).mean()
    loss.backward()
    calls.append(loss.item())
    return loss


for outer in range(15):
    value = opt.step(closure)
    if outer % 3 == 2:
        print(f"outer {outer + 1} evaluations {len(calls)} mse {value.item():.3e}")
with torch.no_grad():
    clean = torch.exp(-2 * t) * torch.cos(9 * t)
    print(f"rms error {(net(t) - clean).pow(2).mean().sqrt():.4f}")
