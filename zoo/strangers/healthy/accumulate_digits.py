"""Digits with gradient accumulation: the step is taken on 96 images, 24 of them at a time.

Gradients are cleared after each step (they are None before the first one), the last
group of an epoch may be smaller, and every micro-batch is weighted by its share.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit

torch.manual_seed(4)
MICRO, GROUP, EPOCHS = 24, 96, 24

raw = load_digits()
images = torch.tensor(raw.images, dtype=torch.float32).unsqueeze(1) / 16.0
labels = torch.tensor(raw.target)

outer = StratifiedShuffleSplit(1, test_size=0.25, random_state=4)
rest, test = next(outer.split(raw.data, raw.target))
inner = StratifiedShuffleSplit(1, test_size=0.15, random_state=4)
tr, va = next(inner.split(raw.data[rest], raw.target[rest]))
train, valid = rest[tr], rest[va]
mean, std = images[train].mean(), images[train].std()
images = (images - mean) / std


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.norm1 = nn.GroupNorm(4, 16)
        self.conv2 = nn.Conv2d(16, 24, 3, padding=1)
        self.norm2 = nn.GroupNorm(4, 24)
        self.head = nn.Linear(24 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        # dropout obeys the module's mode
        x = F.dropout(x.flatten(1), 0.1, training=self.training)
        return self.head(x)


def score(net, rows):
    net.eval()
    with torch.inference_mode():
        logits = net(images[rows])
        return F.cross_entropy(logits, labels[rows]).item(), (logits.argmax(1) == labels[rows]).float().mean().item()


net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=8e-3, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
train_rows = torch.as_tensor(train)

for epoch in range(EPOCHS):
    net.train()
    epoch_loss = 0.0
    for group in train_rows[torch.randperm(len(train_rows))].split(GROUP):
        for micro in group.split(MICRO):
            # sum over the micro-batch, divided by the size of the whole group
            loss = F.cross_entropy(net(images[micro]), labels[micro], reduction="sum") / len(group)
            loss.backward()
            epoch_loss += loss.item() * len(group)
        opt.step()
        opt.zero_grad()
    sched.step()
    if epoch % 3 == 2:
        vl, vacc = score(net, valid)
        print(f"epoch {epoch + 1:2d}  loss {epoch_loss / len(train_rows):.4f}  valid {vl:.4f}  acc {vacc:.3f}")

tl, tacc = score(net, test)
print(f"test loss {tl:.4f}  accuracy {tacc:.3f}")
