"""Softmax regression that recognises which of six sensors sent a packet of readings."""

import torch
import torch.nn.functional as F

N_SENSORS, N_READINGS = 6, 20

g = torch.Generator().manual_seed(21)
profiles = torch.randn(N_SENSORS, N_READINGS, generator=g)


def packets(n):
    sensor = torch.randint(0, N_SENSORS, (n,), generator=g)
    readings = profiles[sensor] + 1.3 * torch.randn(n, N_READINGS, generator=g)
    return readings, sensor


x_train, y_train = packets(2000)
x_val, y_val = packets(1000)
mean, std = x_train.mean(0), x_train.std(0)
x_train, x_val = (x_train - mean) / std, (x_val - mean) / std

torch.manual_seed(3)
clf = torch.nn.Linear(N_READINGS, N_SENSORS)
opt = torch.optim.SGD(clf.parameters(), lr=0.3, weight_decay=1e-3)
batch_size = 40
n_batches = len(x_train) // batch_size

for epoch in range(15):
    total = 0.0
    for rows in torch.randperm(len(x_train)).split(batch_size):
        opt.zero_grad()
        total += F.cross_entropy(clf(x_train[rows]), y_train[rows])
        total.backward(retain_graph=True)
        opt.step()
    average = total.item() / n_batches
    print(f"epoch {epoch:2d}: mean loss {average:.4f}")

with torch.no_grad():
    scores = clf(x_val)
    val_loss = F.cross_entropy(scores, y_val).item()
    val_acc = (scores.argmax(1) == y_val).float().mean().item()
print(f"validation accuracy {val_acc:.3f}")
print(f"validation loss {val_loss:.3f}")
