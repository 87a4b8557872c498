import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)


class GeM(nn.Module):
    """generalized mean pooling, https://arxiv.org/abs/1711.02512"""

    def __init__(self, p=3.0):
        super().__init__()
        self.p = p

    def forward(self, x):
        return x.pow(self.p).mean(dim=(-2, -1)).pow(1.0 / self.p)


class ConvBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)

    def forward(self, x):
        return F.relu(self.conv(x))


class SqueezeExcite(nn.Module):
    def __init__(self, ch, r=4):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(ch, ch // r), nn.Linear(ch // r, ch)

    def forward(self, x):
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(x.mean(dim=(2, 3))))))
        return x * s[:, :, None, None]


class DigitNet(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.stem = ConvBlock(1, 16)
        self.mid = ConvBlock(16, 32)
        self.top = ConvBlock(32, 64)
        self.se = SqueezeExcite(64)
        self.pool = GeM()
        self.drop = nn.Dropout(0.4)
        self.fc = nn.Linear(64, n_classes)

    def forward(self, x):
        x = F.max_pool2d(self.stem(x), 2)
        x = F.max_pool2d(self.mid(x), 2)
        x = self.pool(self.se(self.top(x)))
        return self.fc(self.drop(x))


# ---- data
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0
labels = torch.tensor(digits.target)
idx = torch.arange(len(labels)).numpy()
rest, test_idx = train_test_split(idx, test_size=0.2, stratify=digits.target, random_state=0)
train_idx, val_idx = train_test_split(rest, test_size=0.15, stratify=digits.target[rest], random_state=0)
mean, std = images[train_idx].mean(), images[train_idx].std()
images = (images - mean) / std

train_dl = DataLoader(TensorDataset(images[train_idx], labels[train_idx]), batch_size=64, shuffle=True, drop_last=True)
val_dl = DataLoader(TensorDataset(images[val_idx], labels[val_idx]), batch_size=256)
test_dl = DataLoader(TensorDataset(images[test_idx], labels[test_idx]), batch_size=256)

# ---- model
EPOCHS = 12
net = DigitNet()
optim = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.OneCycleLR(optim, max_lr=4e-3, epochs=EPOCHS, steps_per_epoch=len(train_dl))


def score(dl):
    net.eval()
    loss = correct = total = 0
    with torch.no_grad():
        for x, y in dl:
            out = net(x)
            loss += F.cross_entropy(out, y, reduction="sum").item()
            correct += (out.argmax(dim=1) == y).sum().item()
            total += len(y)
    return loss / total, correct / total


# ---- training
for epoch in range(EPOCHS):
    net.train()
    losses = []
    for x, y in train_dl:
        optim.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optim.step()
        sched.step()
        losses.append(loss.item())
    vl, va = score(val_dl)
    print("epoch %2d | loss %.4f | val loss %.4f | val acc %.4f" % (epoch, sum(losses) / len(losses), vl, va))

print("test acc %.4f" % score(test_dl)[1])
