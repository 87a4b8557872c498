"""Vibration classifier; big effective batch from micro-batches, bf16 autocast on the forward pass."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

MICRO, ACCUM, EPOCHS = 16, 4, 16


def vibration(n, seed):
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(64) / 64.0
    y = torch.randint(0, 3, (n,), generator=g)
    f0 = 6 + torch.rand(n, 1, generator=g)
    ph = 6.28 * torch.rand(n, 1, generator=g)
    x = torch.sin(2 * torch.pi * f0 * t + ph)
    x = x + torch.where(y == 1, 0.8, 0.0)[:, None] * torch.sin(4 * torch.pi * f0 * t + ph)
    x = x + torch.where(y == 2, 0.8, 0.0)[:, None] * torch.sin(6 * torch.pi * f0 * t + ph)
    return (x + 0.3 * torch.randn(n, 64, generator=g)).unsqueeze(1), y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(
            nn.Conv1d(1, 16, 7, stride=2, padding=3), nn.GroupNorm(4, 16), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.GroupNorm(4, 32), nn.ReLU(),
        )
        self.head = nn.Linear(32, 3)

    def forward(self, x):
        return self.head(self.f(x).mean(-1))


def group(loader, k):
    """Lists of up to k micro-batches; the last list may be shorter."""
    buf = []
    for b in loader:
        buf.append(b)
        if len(buf) == k:
            yield buf
            buf = []
    if buf:
        yield buf


@torch.no_grad()
def test(net, loader):
    net.eval()
    n = ok = 0
    for x, y in loader:
        ok += (net(x).argmax(1) == y).sum().item()
        n += len(y)
    return ok / n


def main():
    torch.manual_seed(0)
    train = DataLoader(TensorDataset(*vibration(1400, 1)), MICRO, shuffle=True)
    val = DataLoader(TensorDataset(*vibration(400, 2)), 200)
    held = DataLoader(TensorDataset(*vibration(400, 3)), 200)
    net = Net()
    opt = torch.optim.AdamW(net.parameters(), lr=8e-3, weight_decay=1e-3)
    updates = EPOCHS * -(-len(train) // ACCUM)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, updates)
    for epoch in range(EPOCHS):
        net.train()
        total = 0.0
        for micro in group(train, ACCUM):
            size = sum(len(y) for _, y in micro)
            for x, y in micro:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    out = net(x)
                loss = F.cross_entropy(out.float(), y, reduction="sum") / size
                loss.backward()
                total += loss.item() * size
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            sched.step()
            opt.zero_grad(set_to_none=True)
        print(f"{epoch:2d} loss {total / len(train.dataset):.4f} val {test(net, val):.3f}")
    print("held out:", test(net, held))


main()
