import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader


class Blobs(Dataset):
    """Grey pictures of discs plus the mask image, as an annotation tool would export them."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[:24, :24]
        self.images, self.masks = [], []
        for _ in range(n):
            img = rng.normal(90, 25, (24, 24))
            mask = np.zeros((24, 24), dtype=np.uint8)
            for _ in range(rng.integers(1, 4)):
                cy, cx, r = rng.uniform(4, 20), rng.uniform(4, 20), rng.uniform(2.5, 5)
                disc = (yy - cy) ** 2 + (xx - cx) ** 2 < r * r
                mask[disc] = 255
                img[disc] += rng.uniform(40, 90)
            self.images.append(np.clip(img, 0, 255).astype(np.uint8))
            self.masks.append(mask)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = torch.from_numpy(self.images[i]).float().div(255).sub(0.45).div(0.2)
        mask = torch.from_numpy(self.masks[i]).float()
        return image[None], mask[None]


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class MiniUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2 = block(1, c), block(c, 2 * c)
        self.pool, self.up = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)
        self.u1 = block(3 * c, c)
        self.head = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        return self.head(self.u1(torch.cat([a, self.up(b)], dim=1)))


def main():
    torch.manual_seed(0)
    train = DataLoader(Blobs(320, 1), batch_size=16, shuffle=True)
    valid = DataLoader(Blobs(80, 2), batch_size=40)
    net = MiniUNet()
    optim = torch.optim.Adam(net.parameters(), lr=3e-3)
    criterion = nn.BCEWithLogitsLoss()
    for ep in range(5):
        net.train()
        losses = []
        for x, m in train:
            optim.zero_grad()
            loss = criterion(net(x), m)
            loss.backward()
            optim.step()
            losses.append(loss.item())
        print(f"[{ep}] loss={np.mean(losses):.4f}")

    net.eval()
    inter = union = 0
    with torch.no_grad():
        for x, m in valid:
            p, t = net(x) > 0, m > 0
            inter += (p & t).sum().item()
            union += (p | t).sum().item()
    print(f"mean IoU {inter / union:.3f}")


if __name__ == "__main__":
    main()
