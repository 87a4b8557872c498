import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, random_split

torch.manual_seed(37)


class PriceWindows(Dataset):
    """Direction-free regression: mean return over the next `ahead` ticks from the last `past` returns."""

    def __init__(self, n=1400, past=20, ahead=20):
        r = torch.randn(n) * (1 + 0.5 * torch.sin(torch.arange(n) / 90))
        clock = torch.arange(n) / n
        self.items = []
        for i in range(past, n - ahead):
            phase = clock[i] * 6.2832 * torch.tensor([1.0, 4.0, 16.0, 32.0])
            x = torch.cat([r[i - past:i], torch.sin(phase), torch.cos(phase)])
            self.items.append((x, r[i:i + ahead].mean() * ahead ** 0.5))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def r2(net, ds):
    x, y = next(iter(DataLoader(ds, len(ds))))
    with torch.no_grad():
        p = net(x).squeeze(-1)
    return (1 - ((p - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()).item()


ds = PriceWindows()
n_val = len(ds) // 5
train, val = random_split(ds, [len(ds) - n_val, n_val])
loader = DataLoader(train, batch_size=32, shuffle=True)
net = nn.Sequential(nn.Linear(28, 128), nn.Tanh(), nn.Linear(128, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(1, 31):
    net.train()
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x).squeeze(-1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 10 == 0:
        net.eval()
        print(f"epoch {epoch} train R2 {r2(net, train):.3f} validation R2 {r2(net, val):.3f}")
