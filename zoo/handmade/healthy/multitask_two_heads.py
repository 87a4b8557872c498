"""Name a small shape and locate it: one trunk, a classification head and a position head."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SIZE = 16
SHAPES = ["square", "cross", "ring"]


def render(n, gen):
    kind = torch.randint(len(SHAPES), (n,), generator=gen)
    center = 4 + 7 * torch.rand(n, 2, generator=gen)
    grid = torch.arange(SIZE, dtype=torch.float32)
    dy = (grid.view(1, -1, 1) - center[:, 0].view(-1, 1, 1)).abs()
    dx = (grid.view(1, 1, -1) - center[:, 1].view(-1, 1, 1)).abs()
    dist = torch.sqrt(dx**2 + dy**2)
    square = torch.maximum(dx, dy) < 2.5
    cross = (torch.minimum(dx, dy) < 1.0) & (torch.maximum(dx, dy) < 3.8)
    ring = (dist - 3.0).abs() < 0.9
    stack = torch.stack([square.expand(n, SIZE, SIZE), cross, ring], dim=1).float()
    image = stack[torch.arange(n), kind] + 0.15 * torch.randn(n, SIZE, SIZE, generator=gen)
    position = (center - 7.5) / 2.02
    return image.unsqueeze(1), kind, position


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1),
            nn.LeakyReLU(0.1),
            nn.Conv2d(12, 24, 3, stride=2, padding=1),
            nn.LeakyReLU(0.1),
            nn.Flatten(),
            nn.Linear(24 * 16, 64),
            nn.LeakyReLU(0.1),
        )
        self.kind_head = nn.Linear(64, len(SHAPES))
        self.position_head = nn.Linear(64, 2)

    def forward(self, image):
        shared = self.trunk(image)
        return self.kind_head(shared), self.position_head(shared)


def run_epoch(model, loader, optimizer=None):
    model.train(optimizer is not None)
    ce_sum, mse_sum, hits, n = 0.0, 0.0, 0, 0
    with torch.set_grad_enabled(optimizer is not None):
        for image, kind, position in loader:
            kind_logits, position_pred = model(image)
            ce = F.cross_entropy(kind_logits, kind)
            mse = F.mse_loss(position_pred, position)
            if optimizer is not None:
                loss = ce + mse
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            ce_sum += ce.item() * len(kind)
            mse_sum += mse.item() * len(kind)
            hits += (kind_logits.argmax(1) == kind).sum().item()
            n += len(kind)
    return ce_sum / n, mse_sum / n, hits / n


def main():
    torch.manual_seed(15)
    gen = torch.Generator().manual_seed(150)
    train_image, train_kind, train_position = render(2000, gen)
    test_image, test_kind, test_position = render(500, gen)
    mean, std = train_image.mean(), train_image.std()
    train_set = TensorDataset((train_image - mean) / std, train_kind, train_position)
    test_set = TensorDataset((test_image - mean) / std, test_kind, test_position)
    train_loader = DataLoader(train_set, batch_size=50, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=250)

    model = TwoHeads()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
    for epoch in range(10):
        ce, mse, acc = run_epoch(model, train_loader, optimizer)
        scheduler.step()
        print(f"epoch {epoch + 1:2d} train ce {ce:.4f} mse {mse:.4f} accuracy {acc:.3f}")
    ce, mse, acc = run_epoch(model, test_loader)
    print(f"test ce {ce:.4f} position mse {mse:.4f}")
    print(f"test shape accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
