"""Locate the single package in a grey-scale conveyor frame: conv net that regresses one box."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

CONFIG = {
    "frame": 28,
    "train_frames": 1500,
    "val_frames": 300,
    "epochs": 10,
    "batch": 32,
    "lr": 2e-3,
    "max_side": 0.3,
    "seed": 23,
}


class Conveyor(Dataset):
    """Boxes are (cx, cy, w, h) in fractions of the frame."""

    def __init__(self, n, size, seed):
        gen = torch.Generator().manual_seed(seed)
        side = 0.2 + 0.4 * torch.rand(n, 2, generator=gen)
        centre = side / 2 + (1 - side) * torch.rand(n, 2, generator=gen)
        self.boxes = torch.cat([centre, side], dim=1)
        grid = (torch.arange(size) + 0.5) / size
        in_x = (grid[None] - centre[:, :1]).abs() < side[:, :1] / 2
        in_y = (grid[None] - centre[:, 1:]).abs() < side[:, 1:] / 2
        package = (in_y[:, :, None] & in_x[:, None, :]).float()
        tone = 0.8 + 0.6 * torch.rand(n, 1, 1, generator=gen)
        noise = torch.randn(n, size, size, generator=gen)
        self.frames = ((tone * package + 0.25 * noise) - 0.17).div(0.48).unsqueeze(1)

    def __len__(self):
        return len(self.boxes)

    def __getitem__(self, i):
        return self.frames[i], self.boxes[i]


class BoxHead(nn.Module):
    def __init__(self, n_in, max_side):
        super().__init__()
        self.fc = nn.Linear(n_in, 4)
        self.max_side = max_side

    def forward(self, h):
        centre, side = self.fc(h).chunk(2, dim=1)
        return torch.cat([centre.sigmoid(), self.max_side * side.sigmoid()], dim=1)


def build_net(cfg):
    cells = (cfg["frame"] // 4) ** 2
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * cells, 64), nn.ReLU(),
        BoxHead(64, cfg["max_side"]),
    )


def corners(b):
    return torch.cat([b[:, :2] - b[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2], dim=1)


def iou(a, b):
    a, b = corners(a), corners(b)
    lo, hi = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    inter = (hi - lo).clamp(min=0).prod(1)
    area = (a[:, 2:] - a[:, :2]).prod(1) + (b[:, 2:] - b[:, :2]).prod(1)
    return inter / (area - inter)


def main(cfg):
    torch.manual_seed(cfg["seed"])
    train = DataLoader(Conveyor(cfg["train_frames"], cfg["frame"], 1), batch_size=cfg["batch"], shuffle=True)
    val = DataLoader(Conveyor(cfg["val_frames"], cfg["frame"], 2), batch_size=100)
    net = build_net(cfg)
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg["epochs"])
    criterion = nn.SmoothL1Loss(beta=0.05)

    for epoch in range(1, cfg["epochs"] + 1):
        net.train()
        running = 0.0
        for frames, boxes in train:
            optimizer.zero_grad()
            loss = criterion(net(frames), boxes)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(boxes)
        scheduler.step()
        net.eval()
        with torch.no_grad():
            pairs = [(net(frames), boxes) for frames, boxes in val]
        pred, truth = (torch.cat(p) for p in zip(*pairs))
        print(f"epoch {epoch:2d}  train {running / len(train.dataset):.4f}  val {criterion(pred, truth):.4f}"
              f"  mean IoU {iou(pred, truth).mean():.4f}")


if __name__ == "__main__":
    main(CONFIG)
