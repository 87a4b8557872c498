"""Echo-state network: fixed random reservoir, only the readout learns."""
import torch
from torch import nn

torch.manual_seed(4)


class Reservoir(nn.Module):
    def __init__(self, n=120):
        super().__init__()
        self.register_buffer("w_in", torch.rand(n, 1) - 0.5)
        w = torch.randn(n, n)
        self.register_buffer("w", 0.9 * w / torch.linalg.eigvals(w).abs().max())
        self.readout = nn.Linear(n, 1)

    @torch.no_grad()
    def states(self, u):
        h, out = torch.zeros(self.w.shape[0]), []
        for value in u:
            h = torch.tanh(self.w_in[:, 0] * value + self.w @ h)
            out.append(h)
        return torch.stack(out)

    def forward(self, s):
        return self.readout(s).squeeze(-1)


t = torch.arange(900.0)
u = torch.sin(t / 5) * torch.cos(t / 23)
net = Reservoir()
s = net.states(u[:-5])[100:]
y = u[105:]
s = (s - s[:600].mean(0)) / s[:600].std(0)
opt = torch.optim.Adam(net.readout.parameters(), lr=1e-2)
for it in range(400):
    loss = nn.functional.mse_loss(net(s[:600]), y[:600])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        print(it, f"{loss.item():.6f}")
with torch.no_grad():
    e = nn.functional.mse_loss(net(s[600:]), y[600:]).sqrt() / y.std()
print(f"test nrmse {e.item():.3f}")
