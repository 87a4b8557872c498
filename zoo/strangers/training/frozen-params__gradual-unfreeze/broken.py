"""Fine-tune a small CNN, pretrained on a coarse task, for digit recognition with gradual unfreezing."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class SmallCNN(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.backbone = nn.ModuleDict({
            "stem": nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            "body": nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            "neck": nn.Sequential(nn.Flatten(), nn.Linear(64, 6), nn.Tanh()),
        })
        self.classifier = nn.Linear(6, n_classes)

    def forward(self, x):
        for stage in self.backbone.values():
            x = stage(x)
        return self.classifier(x)


def set_trainable(model, prefixes, flag):
    changed = 0
    for name, p in model.named_parameters():
        if name.startswith(tuple(prefixes)):
            p.requires_grad_(flag)
            changed += p.numel()
    return changed


def fit_epoch(model, opt, x, y, batch=64):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(x)).split(batch):
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    return total / len(x)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def pretrain(x, y_coarse):
    model = SmallCNN(2)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(8):
        loss = fit_epoch(model, opt, x, y_coarse)
    print(f"pretraining (dark / bright image) done, loss {loss:.3f}")
    return model


def main():
    torch.manual_seed(0)
    x, y = load_digits(return_X_y=True)
    x = x.astype(np.float32).reshape(-1, 1, 8, 8)
    xa, xt, ya, yt = train_test_split(x, y, test_size=0.25, stratify=y, random_state=0)
    mean, std = xa.mean(), xa.std()
    xa, xt = (torch.from_numpy((a - mean) / std) for a in (xa, xt))
    ya, yt = torch.from_numpy(ya), torch.from_numpy(yt)

    ink = xa.mean((1, 2, 3))
    source = pretrain(xa, (ink > ink.median()).long())

    model = SmallCNN(10)
    model.backbone.load_state_dict(source.backbone.state_dict())
    schedule = {5: ["neck"], 8: ["body", "stem"]}
    set_trainable(model, ["backbone"], False)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    epochs = 45
    for epoch in range(1, epochs + 1):
        if epoch in schedule:
            set_trainable(model, schedule[epoch], True)
            print(f"epoch {epoch}: unfreezing {', '.join(schedule[epoch])}")
        if epoch == 32:
            for group in opt.param_groups:
                group["lr"] *= 0.2
        loss = fit_epoch(model, opt, xa, ya)
        if epoch % 5 == 0:
            print(f"epoch {epoch:2d}  loss {loss:.4f}  train acc {accuracy(model, xa, ya):.3f}")
    print(f"test accuracy {accuracy(model, xt, yt):.3f}")


if __name__ == "__main__":
    main()
