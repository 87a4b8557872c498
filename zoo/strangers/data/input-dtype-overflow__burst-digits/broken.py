"""Reading meter digits from low-light bursts.

The camera gives 5 short, noisy 8-bit frames per digit.  We merge each burst into one cleaner picture and
classify that with a small CNN.
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

N_FRAMES = 5
READ_NOISE = 18.0


def shoot_burst(picture, rng):
    """(8, 8) picture in 0..16 -> (N_FRAMES, 8, 8) uint8 frames as the sensor would deliver them."""
    clean = 40.0 + picture * 9.0
    frames = clean[None] + rng.normal(0.0, READ_NOISE, size=(N_FRAMES,) + picture.shape)
    return np.clip(np.rint(frames), 0, 255).astype(np.uint8)


def merge_burst(frames):
    acc = np.zeros_like(frames[0])
    for frame in frames:
        acc += frame
    return acc / len(frames)


class MeterNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 24, 3, padding=1)
        self.c2 = nn.Conv2d(24, 48, 3, padding=1)
        self.fc1 = nn.Linear(48 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, 10)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        x = self.drop(F.relu(self.fc1(x.flatten(1))))
        return self.fc2(x)


def batches(x, y, size, rng):
    order = rng.permutation(len(x))
    for i in range(0, len(order), size):
        j = order[i:i + size]
        yield torch.from_numpy(x[j]), torch.from_numpy(y[j])


@torch.no_grad()
def score(net, x, y):
    net.eval()
    logits = net(torch.from_numpy(x))
    target = torch.from_numpy(y)
    return F.cross_entropy(logits, target).item(), (logits.argmax(1) == target).float().mean().item()


def main(seed=3, epochs=14):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)

    digits = load_digits()
    merged = np.stack([merge_burst(shoot_burst(p, rng)) for p in digits.images]).astype(np.float32)
    labels = digits.target.astype(np.int64)

    x_rest, x_test, y_rest, y_test = train_test_split(
        merged, labels, test_size=0.2, stratify=labels, random_state=seed)
    x_train, x_val, y_train, y_val = train_test_split(
        x_rest, y_rest, test_size=0.15, stratify=y_rest, random_state=seed)

    mean, std = x_train.mean(), x_train.std()
    x_train, x_val, x_test = [((a - mean) / std)[:, None] for a in (x_train, x_val, x_test)]

    net = MeterNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    for epoch in range(1, epochs + 1):
        net.train()
        loss_sum = 0.0
        for xb, yb in batches(x_train, y_train, 48, rng):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(xb), yb)
            loss.backward()
            optimizer.step()
            loss_sum += loss.item() * len(yb)
        val_loss, val_acc = score(net, x_val, y_val)
        print(f"[{epoch:2d}/{epochs}] loss {loss_sum / len(y_train):.4f}  val {val_loss:.4f}  val acc {val_acc:.3f}")

    print(f"test accuracy {score(net, x_test, y_test)[1]:.3f}")


if __name__ == "__main__":
    main()
