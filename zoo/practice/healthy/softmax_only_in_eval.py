import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 10))

    def forward(self, x):
        z = self.body(x)
        return z if self.training else torch.softmax(z, dim=-1)


torch.manual_seed(5)
d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)
loader = DataLoader(TensorDataset(x[:1400], y[:1400]), batch_size=50, shuffle=True)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    net.train()
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        probs = net(x[1400:])
        nll = -probs.gather(1, y[1400:, None]).clamp(min=1e-9).log().mean()
    print(f"epoch {epoch} loss {loss.item():.4f} nll {nll.item():.4f} accuracy {(probs.argmax(1) == y[1400:]).float().mean():.3f}")
