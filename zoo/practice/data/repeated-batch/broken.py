import torch
from torch import nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(99)
digits = load_digits()
x = torch.tensor(digits.data / 16.0, dtype=torch.float32)
y = torch.tensor(digits.target)
full = TensorDataset(x, y)
train_set, test_set = random_split(full, [1400, len(full) - 1400])
train_loader = DataLoader(train_set, batch_size=64)
test_loader = DataLoader(test_set, batch_size=256)

net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()

max_steps = 500
it = 0
while it < max_steps:
    xb, yb = next(iter(train_loader))
    logits = net(xb)
    loss = criterion(logits, yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
    it += 1
    if it % 100 == 0:
        print(f"iter {it}: loss {loss.item():.4f}")

net.eval()
ok = 0
with torch.no_grad():
    for xb, yb in test_loader:
        ok += (net(xb).argmax(dim=1) == yb).sum().item()
print(f"accuracy on test digits: {ok / len(test_set):.3f}")
