import torch
from torch import nn

torch.manual_seed(58)
T = 20


def chunks(n):
    x = torch.randn(n, T, 1)
    burst = (torch.rand(n, 1, 1) < 0.02).float() * 60
    x = x + burst * torch.rand(n, 1, 1)
    y = 4 * x[:, :, 0].mean(1) + x[:, -1, 0]
    return x, y


class Elman(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.wx, self.wh, self.out = nn.Linear(1, h), nn.Linear(h, h), nn.Linear(h, 1)
        nn.init.orthogonal_(self.wh.weight)

    def forward(self, x):
        h = x.new_zeros(len(x), self.wh.in_features)
        for t in range(x.shape[1]):
            h = torch.relu(self.wx(x[:, t]) + self.wh(h))
        return self.out(h).squeeze(-1)


def train_step(net, opt, x, y, max_norm=0.5):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    nn.utils.clip_grad_norm_(net.parameters(), max_norm)
    loss.backward()
    opt.step()
    return loss.item()


net = Elman()
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
trace = []
for it in range(900):
    trace.append(train_step(net, opt, *chunks(32)))
    if it % 180 == 179:
        tail = sorted(trace[-100:])
        print(f"it {it + 1} median loss {tail[50]:.4g}")
with torch.no_grad():
    x, y = chunks(500)
    print(f"held-out mae {(net(x) - y).abs().median().item():.4f}")
