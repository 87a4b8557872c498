"""Recognise pen gestures: a GRU reads the pen's velocity and names the stroke."""

import math

import torch
import torch.nn as nn

STEPS = 20
GESTURES = ["clockwise loop", "counter-clockwise loop", "zigzag", "spiral"]


def sample_strokes(n, gen):
    kind = torch.randint(len(GESTURES), (n,), generator=gen)
    t = torch.linspace(0, 1, STEPS + 1)
    start = 2 * math.pi * torch.rand(n, 1, generator=gen)
    speed = 0.8 + 0.4 * torch.rand(n, 1, generator=gen)
    theta = 2 * math.pi * speed * t + start
    loop_cw = torch.stack([torch.cos(-theta), torch.sin(-theta)], -1)
    loop_ccw = torch.stack([torch.cos(theta), torch.sin(theta)], -1)
    tri = 2 / math.pi * torch.asin(torch.sin(3 * theta))
    zigzag = torch.stack([2 * t.expand(n, -1), tri], -1)
    spiral = loop_ccw * (0.2 + 1.6 * t)[None, :, None]
    every = torch.stack([loop_cw, loop_ccw, zigzag, spiral], 1)
    path = every[torch.arange(n), kind]
    velocity = path.diff(dim=1) * 4
    velocity = velocity + 0.1 * torch.randn(velocity.shape, generator=gen)
    return velocity, kind


class GestureNet(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.gru = nn.GRU(2, hidden)
        self.fc = nn.Linear(hidden, len(GESTURES))

    def forward(self, x):
        # nn.GRU wants (time, batch, features)
        x = x.view(x.size(1), x.size(0), x.size(2))
        out, _ = self.gru(x)
        return self.fc(out[-1])


torch.manual_seed(12)
gen = torch.Generator().manual_seed(99)
train_x, train_y = sample_strokes(3000, gen)
val_x, val_y = sample_strokes(400, gen)
test_x, test_y = sample_strokes(600, gen)
mean, std = train_x.mean((0, 1)), train_x.std((0, 1))
train_x, val_x, test_x = [(x - mean) / std for x in (train_x, val_x, test_x)]

model = GestureNet()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
scheduler = torch.optim.lr_scheduler.LinearLR(
    optimizer, start_factor=1.0, end_factor=0.05, total_iters=240
)


def accuracy(x, y):
    model.eval()
    with torch.no_grad():
        guess = model(x).argmax(dim=1)
    model.train()
    return (guess == y).float().mean().item()


model.train()
for it in range(1, 241):
    pick = torch.randint(0, len(train_x), (50,))
    logits = model(train_x[pick])
    loss = criterion(logits, train_y[pick])
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    scheduler.step()
    if it % 40 == 0:
        print(f"iter {it:4d}  loss {loss.item():.3f}  val acc {accuracy(val_x, val_y):.3f}")

print(f"final test acc {accuracy(test_x, test_y):.3f}")
