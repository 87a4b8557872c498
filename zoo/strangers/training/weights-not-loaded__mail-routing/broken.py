"""Stage 1: pretrain an encoder on cluttered digits.  Stage 2: adapt it to mail routing with few labels."""
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

SEED = 9
CANVAS = 16
ROUTES = torch.tensor([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])  # digit -> sorting lane


def paste(images, rng, copies):
    out = rng.normal(0.0, 0.15, (len(images) * copies, 1, CANVAS, CANVAS))
    src = np.repeat(np.arange(len(images)), copies)
    for i, j in enumerate(src):
        r, c = rng.integers(0, CANVAS - 8 + 1, 2)
        out[i, 0, r:r + 8, c:c + 8] += images[j]
    return torch.from_numpy(out.astype(np.float32)), src


class Encoder(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
            nn.Conv2d(32, dim, 3, padding=1), nn.BatchNorm2d(dim), nn.ReLU(),
            nn.AdaptiveMaxPool2d(1), nn.Flatten(),
        )

    def forward(self, x):
        return self.layers(x)


class PretrainModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Encoder()
        self.classifier = nn.Linear(64, 10)

    def forward(self, x):
        return self.classifier(self.backbone(x))


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.lane = nn.Linear(64, 3)

    def forward(self, x):
        return self.lane(self.encoder(x))

    def load_backbone(self, path):
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.encoder.load_state_dict(state, strict=False)
        print("restored", os.path.basename(path))


def fit(model, x, y, groups, epochs, batch, tag):
    opt = torch.optim.Adam(groups)
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if epoch % max(1, epochs // 5) == 0:
            print(f"{tag} {epoch:3d}/{epochs}  loss {total / len(x):.4f}")


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (torch.cat([model(c).argmax(1) for c in x.split(256)]) == y).float().mean().item()


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    img, lab = load_digits(return_X_y=True)
    img = img.reshape(-1, 8, 8) / 16.0
    order = rng.permutation(len(img))
    source, few, held = order[:1100], order[1100:1190], order[1190:]

    xs, src = paste(img[source], rng, copies=2)
    ys = torch.from_numpy(lab[source][src])
    m, s = xs.mean(), xs.std()
    pre = PretrainModel()
    n_val = 300
    fit(pre, (xs[n_val:] - m) / s, ys[n_val:], [{"params": pre.parameters(), "lr": 3e-3}], 7, 64, "pretrain")
    print(f"pretrain val acc {accuracy(pre, (xs[:n_val] - m) / s, ys[:n_val]):.3f}")

    with tempfile.TemporaryDirectory() as tmp:
        ckpt = os.path.join(tmp, "encoder.pt")
        torch.save(pre.state_dict(), ckpt)
        router = Router()
        router.load_backbone(ckpt)

    xf, f_src = paste(img[few], rng, copies=1)
    yf = ROUTES[torch.from_numpy(lab[few][f_src])]
    xh, h_src = paste(img[held], rng, copies=1)
    yh = ROUTES[torch.from_numpy(lab[held][h_src])]
    groups = [
        {"params": router.encoder.parameters(), "lr": 2e-4},
        {"params": router.lane.parameters(), "lr": 5e-3},
    ]
    fit(router, (xf - m) / s, yf, groups, 40, 30, "adapt")
    print(f"routing accuracy on {len(xh)} held-out envelopes: {accuracy(router, (xh - m) / s, yh):.3f}")


if __name__ == "__main__":
    main()
