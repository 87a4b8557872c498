# gesture recognition from a wrist accelerometer (synthetic), GRU cells unrolled by hand
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 23
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)

T = 30
GESTURES = ["circle", "swipe", "shake", "tap", "raise"]


def record(kind):
    s = np.linspace(0, 1, T)
    speed = rng.uniform(0.8, 1.3)
    phase = rng.uniform(0, 2 * np.pi)
    amp = rng.uniform(0.7, 1.4)
    if kind == 0:
        sig = [np.cos(2 * np.pi * speed * s + phase), np.sin(2 * np.pi * speed * s + phase), 0 * s]
    elif kind == 1:
        c = rng.uniform(0.3, 0.7)
        sig = [np.exp(-((s - c) / 0.12) ** 2) - np.exp(-((s - c - 0.15) / 0.12) ** 2), 0 * s, 0.2 * s]
    elif kind == 2:
        sig = [np.sin(2 * np.pi * 5 * speed * s + phase), 0.3 * np.sin(2 * np.pi * 5 * speed * s), 0 * s]
    elif kind == 3:
        c = rng.uniform(0.2, 0.8)
        sig = [0 * s, 0 * s, 2 * np.exp(-((s - c) / 0.04) ** 2)]
    else:
        c = rng.uniform(0.3, 0.7)
        sig = [0 * s, 0.3 * s, 1 / (1 + np.exp(-(s - c) * 15 * speed))]
    return amp * np.stack(sig, 1) + rng.normal(0, 0.35, (T, 3))


def dataset(n):
    y = rng.integers(0, len(GESTURES), n)
    x = np.stack([record(k) for k in y])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


x_train, y_train = dataset(2400)
x_val, y_val = dataset(400)
x_test, y_test = dataset(800)
mu, sd = x_train.mean((0, 1)), x_train.std((0, 1))
x_train, x_val, x_test = [(x - mu) / sd for x in (x_train, x_val, x_test)]


class GestureNet(nn.Module):
    def __init__(self, n_in=3, hidden=24, n_classes=5):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Linear(n_in, 16)
        self.cell = nn.GRUCell(16, hidden)
        self.head = nn.Sequential(nn.Linear(T * hidden, 48), nn.ReLU(), nn.Dropout(0.3), nn.Linear(48, n_classes))

    def forward(self, x):
        b = x.size(0)
        z = torch.relu(self.embed(x))
        h = x.new_zeros(b, self.hidden)
        states = []
        for t in range(T):
            h = self.cell(z[:, t], h)
            states.append(h)
        states = torch.stack(states)
        return self.head(states.reshape(b, T * self.hidden))


@torch.no_grad()
def evaluate(net, x, y):
    net.eval()
    out = torch.cat([net(part) for part in x.split(100)])
    return F.cross_entropy(out, y).item(), out.argmax(1) == y


net = GestureNet()
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=6, gamma=0.5)
BATCH = 48

for epoch in range(12):
    net.train()
    perm = torch.randperm(len(x_train))
    total = 0.0
    for i in range(0, len(perm), BATCH):
        idx = perm[i:i + BATCH]
        loss = F.cross_entropy(net(x_train[idx]), y_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    sched.step()
    val_loss, val_hits = evaluate(net, x_val, y_val)
    print(f"epoch {epoch + 1:2d}: train loss {total / len(x_train):.3f}, val loss {val_loss:.3f}, val acc {val_hits.float().mean():.3f}")

test_loss, test_hits = evaluate(net, x_test, y_test)
print(f"test loss {test_loss:.3f}, test acc {test_hits.float().mean():.3f}")
for k, name in enumerate(GESTURES):
    m = y_test == k
    print(f"  {name:7s} n={int(m.sum())} acc={test_hits[m].float().mean():.3f}")
