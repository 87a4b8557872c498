"""Segment discs and squares on a noisy background with a small encoder-decoder."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

N_CLASSES = 3  # background, disc, square


class Shapes(Dataset):
    def __init__(self, n, seed, size=20):
        self.n = n
        gen = torch.Generator().manual_seed(seed)
        grid = torch.arange(size).float()
        yy, xx = grid[None, :, None], grid[None, None, :]
        cy, cx = (6 + (size - 12) * torch.rand(2, n, 1, 1, generator=gen)).unbind(0)
        radius = 4 + 2 * torch.rand(n, 1, 1, generator=gen)
        kind = torch.randint(1, N_CLASSES, (n, 1, 1), generator=gen)
        disc = (yy - cy) ** 2 + (xx - cx) ** 2 < (1.1 * radius) ** 2
        square = torch.maximum((yy - cy).abs(), (xx - cx).abs()) < radius
        inside = torch.where(kind == 1, disc, square)
        self.masks = inside.long() * kind
        brightness = torch.where(kind == 1, 1.4, 2.6)
        clean = inside * brightness - 0.5
        self.images = (clean + 0.4 * torch.randn(n, size, size, generator=gen)).unsqueeze(1)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.images[i], self.masks[i]


class SegNet(nn.Module):
    def __init__(self, ch=12):
        super().__init__()
        self.enc1 = nn.Conv2d(1, ch, 3, padding=1)
        self.enc2 = nn.Conv2d(ch, 2 * ch, 3, padding=1)
        self.dec = nn.Conv2d(3 * ch, ch, 3, padding=1)
        self.out = nn.Conv2d(ch, N_CLASSES, 1)

    def forward(self, x):
        skip = F.relu(self.enc1(x))
        deep = F.relu(self.enc2(F.max_pool2d(skip, 2)))
        up = F.interpolate(deep, scale_factor=2.0, mode="nearest")
        return self.out(F.relu(self.dec(torch.cat([skip, up], dim=1))))


def balanced_ce(logits, masks):
    """Cross-entropy in which every class weighs the same, however few pixels it covers."""
    onehot = F.one_hot(masks, N_CLASSES).permute(0, 3, 1, 2).float()
    counts = onehot.sum(dim=(0, 2, 3))
    weights = masks.numel() / (N_CLASSES * counts)
    log_p = F.log_softmax(logits, dim=1)
    per_class = (onehot * log_p).mean(dim=(0, 2, 3)) * weights
    return -per_class.sum()


@torch.no_grad()
def mean_iou(net, loader):
    net.eval()
    inter, union = torch.zeros(N_CLASSES), torch.zeros(N_CLASSES)
    for images, masks in loader:
        pred = net(images).argmax(dim=1)
        for c in range(N_CLASSES):
            inter[c] += ((pred == c) & (masks == c)).sum()
            union[c] += ((pred == c) | (masks == c)).sum()
    return (inter / union).mean().item()


def main():
    torch.manual_seed(0)
    train_loader = DataLoader(Shapes(320, seed=10), batch_size=8, shuffle=True)
    test_loader = DataLoader(Shapes(100, seed=11), batch_size=50)

    net = SegNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=7)
    for epoch in range(7):
        net.train()
        history = []
        for images, masks in train_loader:
            loss = balanced_ce(net(images), masks)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.item())
        scheduler.step()
        print(f"epoch {epoch}: loss {sum(history) / len(history):.4f}")

    print(f"mean IoU on new images: {mean_iou(net, test_loader):.3f}")


if __name__ == "__main__":
    main()
