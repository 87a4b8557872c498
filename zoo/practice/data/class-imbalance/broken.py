import math
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(66)


def snippets(n, share):
    fault = (torch.rand(n) < share).long()
    t = torch.linspace(0, 1, 64)
    base = torch.sin(2 * math.pi * (6 * t + torch.rand(n, 1)))
    ring = torch.exp(-6 * t) * torch.sin(2 * math.pi * 21 * t)
    x = base + 1.0 * torch.randn(n, 64) + 2.2 * fault[:, None] * ring
    return x[:, None], fault


train_x, train_y = snippets(3000, 0.03)
test_x, test_y = snippets(3000, 0.03)
loader = DataLoader(TensorDataset(train_x, train_y), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Conv1d(1, 8, 9, padding=4), nn.ReLU(), nn.AvgPool1d(4), nn.Flatten(), nn.Linear(128, 2))
opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(6):
    model.train()
    total, right = 0.0, 0
    for x, y in loader:
        out = model(x)
        loss = criterion(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        right += (out.argmax(1) == y).sum().item()
    print(f"epoch {epoch} loss {total / len(loader):.4f} acc {right / len(train_x):.4f}")

model.eval()
with torch.no_grad():
    alarm = model(test_x).argmax(1)
print(f"recall on faults {alarm[test_y == 1].float().mean():.3f}")
