"""Segment bright blobs in noisy images; Ctrl-C ends training early and keeps the best weights."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, n, seed, size=18):
        gen = torch.Generator().manual_seed(seed)
        axis = torch.arange(size, dtype=torch.float32)
        cy = 5 + (size - 10) * torch.rand(n, 2, 1, 1, generator=gen)
        cx = 5 + (size - 10) * torch.rand(n, 2, 1, 1, generator=gen)
        radius = 3 + 2 * torch.rand(n, 2, 1, 1, generator=gen)
        dist = torch.sqrt((axis.view(-1, 1) - cy) ** 2 + (axis.view(1, -1) - cx) ** 2)
        self.masks = (dist < radius).any(dim=1, keepdim=True).float()
        noise = torch.randn(n, 1, size, size, generator=gen)
        self.images = 2.0 * (self.masks - 0.25) + 0.8 * noise

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.masks[index]


class SegNet(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, ch, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(ch, ch, 3, padding=2, dilation=2),
            nn.ReLU(),
            nn.Conv2d(ch, ch, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(ch, 1, 1),
        )

    def forward(self, x):
        return self.layers(x)


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    loss, inter, union = 0.0, 0.0, 0.0
    for images, masks in loader:
        logits = model(images)
        loss += criterion(logits, masks).item() * len(images)
        predicted = logits > 0
        truth = masks > 0.5
        inter += (predicted & truth).sum().item()
        union += (predicted | truth).sum().item()
    return loss / len(loader.dataset), inter / union


def main():
    torch.manual_seed(12)
    train_loader = DataLoader(Blobs(480, seed=100), batch_size=24, shuffle=True)
    val_loader = DataLoader(Blobs(120, seed=101), batch_size=60)
    test_loader = DataLoader(Blobs(160, seed=102), batch_size=80)

    model = SegNet()
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
    best_val, best_state = float("inf"), copy.deepcopy(model.state_dict())

    try:
        for epoch in range(1, 9):
            model.train()
            total = 0.0
            for images, masks in train_loader:
                optimizer.zero_grad()
                loss = criterion(model(images), masks)
                loss.backward()
                optimizer.step()
                total += loss.item() * len(images)
            scheduler.step()
            val_loss, val_iou = evaluate(model, val_loader, criterion)
            if val_loss < best_val:
                best_val, best_state = val_loss, copy.deepcopy(model.state_dict())
            train_loss = total / len(train_loader.dataset)
            print(f"epoch {epoch:2d} train {train_loss:.4f} val {val_loss:.4f} IoU {val_iou:.3f}")
    except KeyboardInterrupt:
        print("interrupted, keeping the best weights so far")

    model.load_state_dict(best_state)
    _, iou = evaluate(model, test_loader, criterion)
    print(f"test IoU {iou:.3f}")


if __name__ == "__main__":
    main()
