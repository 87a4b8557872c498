"""PointNet-style shape recognition on 2-D point clouds with a varying number of points."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

SHAPES = ["circle", "square", "triangle", "cross"]


def polygon(corners: torch.Tensor, n: int) -> torch.Tensor:
    """n random points on the closed outline through the corners."""
    side = torch.randint(len(corners), (n,))
    t = torch.rand(n, 1)
    return (1 - t) * corners[side] + t * corners[(side + 1) % len(corners)]


def sample_cloud(label: int) -> torch.Tensor:
    n = int(torch.randint(24, 64, (1,)))
    shape = SHAPES[label]
    if shape == "circle":
        a = torch.rand(n) * 2 * math.pi
        pts = torch.stack([a.cos(), a.sin()], dim=1)
    elif shape == "square":
        pts = polygon(torch.tensor([[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]), n)
    elif shape == "triangle":
        pts = polygon(torch.tensor([[-1.0, -0.7], [1.0, -0.7], [0.0, 1.1]]), n)
    else:
        arm = torch.rand(n) * 2.2 - 1.1
        upright = torch.rand(n) < 0.5
        zero = torch.zeros(n)
        pts = torch.stack([torch.where(upright, zero, arm), torch.where(upright, arm, zero)], 1)
    angle = float(torch.rand(1)) * 2 * math.pi
    rot = torch.tensor([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return 1.4 * pts @ rot.T + 0.05 * torch.randn(n, 2)


def make_set(count: int):
    labels = torch.randint(len(SHAPES), (count,))
    return [sample_cloud(int(k)) for k in labels], labels


class PointNet(nn.Module):
    def __init__(self, width: int = 32, classes: int = 4):
        super().__init__()
        self.point_mlp = nn.Sequential(
            nn.Linear(2, width), nn.GELU(), nn.Linear(width, width), nn.GELU()
        )
        self.head = nn.Linear(width, classes)

    def forward(self, clouds):
        sizes = [len(c) for c in clouds]
        features = self.point_mlp(torch.cat(clouds))
        parts = features.split(sizes)
        pooled = torch.tensor([p.max(dim=0).values.tolist() for p in parts])
        return self.head(pooled)


def accuracy(model, clouds, labels):
    model.eval()
    with torch.no_grad():
        return (model(clouds).argmax(1) == labels).float().mean().item()


def main():
    torch.manual_seed(3)
    train_x, train_y = make_set(1200)
    val_x, val_y = make_set(200)
    test_x, test_y = make_set(400)

    model = PointNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    batch = 64
    for epoch in range(16):
        model.train()
        order = torch.randperm(len(train_x))
        losses = []
        for start in range(0, len(order), batch):
            idx = order[start : start + batch]
            logits = model([train_x[i] for i in idx.tolist()])
            loss = F.cross_entropy(logits, train_y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        if epoch % 4 == 3:
            mean_loss = sum(losses) / len(losses)
            print(f"[{epoch + 1:02d}] loss {mean_loss:.4f} val {accuracy(model, val_x, val_y):.3f}")

    print(f"test accuracy: {accuracy(model, test_x, test_y):.3f}")


if __name__ == "__main__":
    main()
