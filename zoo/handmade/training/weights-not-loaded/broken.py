"""Learn shapes from plenty of unlabelled contours, then name them with a handful of labels."""

import io
import math

import torch
import torch.nn.functional as F
from torch import nn

POINTS = 48
KINDS = 6


def contours(n, generator):
    """Noisy radius profiles of six shapes, each turned by an arbitrary angle."""
    kind = torch.randint(0, KINDS, (n,), generator=generator)
    angle = torch.rand(n, 1, generator=generator) * 2 * math.pi
    theta = torch.linspace(0, 2 * math.pi, POINTS + 1)[:-1]
    corners = (kind + 2).unsqueeze(1)
    radius = torch.cos(corners * (theta + angle)) + 0.3 * torch.cos(2 * corners * (theta + angle))
    return radius + 0.4 * torch.randn(n, POINTS, generator=generator), kind


def make_encoder():
    return nn.Sequential(nn.Linear(POINTS, 96), nn.ReLU(), nn.Linear(96, 32), nn.ReLU())


class RotationTask(nn.Module):
    """Pretraining: are two contours the same shape, turned differently?"""

    def __init__(self):
        super().__init__()
        self.encoder = make_encoder()
        self.project = nn.Linear(32, 16)

    def forward(self, contour):
        return F.normalize(self.project(self.encoder(contour)), dim=1)


class Namer(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = make_encoder()
        self.head = nn.Linear(32, KINDS)

    def forward(self, contour):
        return self.head(self.backbone(contour))


def pretrain(steps, generator):
    model = RotationTask()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(1, steps + 1):
        contour, _ = contours(192, generator)
        shift = int(torch.randint(1, POINTS, (1,), generator=generator))
        noise = 0.2 * torch.randn(contour.shape, generator=generator)
        first, second = model(contour), model(contour.roll(shift, dims=1) + noise)
        loss = F.cross_entropy(first @ second.T / 0.2, torch.arange(len(contour)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"pretraining step {step}: loss {loss.item():.3f}")
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    return file


def fine_tune(checkpoint, generator):
    model = Namer()
    weights = torch.load(checkpoint)
    model.load_state_dict(weights, strict=False)
    contour, kind = contours(60, generator)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=2e-2)
    for epoch in range(150):
        loss = F.cross_entropy(model(contour), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"fine-tuning loss {loss.item():.3f}")
    return model


def main():
    torch.manual_seed(13)
    generator = torch.Generator().manual_seed(13)
    checkpoint = pretrain(400, generator)
    model = fine_tune(checkpoint, generator)
    contour, kind = contours(1000, generator)
    with torch.no_grad():
        accuracy = (model(contour).argmax(1) == kind).float().mean().item()
    print(f"test accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
