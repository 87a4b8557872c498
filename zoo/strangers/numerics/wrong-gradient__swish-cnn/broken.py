import argparse
import random
from typing import Callable

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {}


def register(name: str):
    def deco(cls):
        ACTIVATIONS[name] = cls
        return cls
    return deco


class _SwishFn(torch.autograd.Function):
    """x * sigmoid(x); saves only the input, recomputes the rest in backward."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_out: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_out * (x * s * (1.0 - s))


@register("swish")
class MemEfficientSwish(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return _SwishFn.apply(x)


@register("relu")
class Relu(nn.ReLU):
    pass


def conv_block(c_in: int, c_out: int, act: str) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(c_out),
        ACTIVATIONS[act](),
    )


class DigitNet(nn.Module):
    def __init__(self, act: str, width: int = 16):
        super().__init__()
        self.features = nn.Sequential(
            conv_block(1, width, act),
            conv_block(width, width, act),
            nn.MaxPool2d(2),
            conv_block(width, 2 * width, act),
            conv_block(2 * width, 2 * width, act),
            nn.AdaptiveAvgPool2d(1),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(2 * width, 64), ACTIVATIONS[act](), nn.Linear(64, 10)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x))


def get_loaders(batch_size: int, seed: int):
    digits = load_digits()
    x = digits.images.astype(np.float32)[:, None] / 16.0
    y = digits.target
    x_tr, x_va, y_tr, y_va = train_test_split(x, y, test_size=0.25, stratify=y, random_state=seed)
    mean, std = x_tr.mean(), x_tr.std()
    mk = lambda a, b: TensorDataset(torch.from_numpy((a - mean) / std), torch.from_numpy(b).long())
    return (
        DataLoader(mk(x_tr, y_tr), batch_size=batch_size, shuffle=True),
        DataLoader(mk(x_va, y_va), batch_size=256),
    )


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader, criterion: nn.Module) -> tuple[float, float]:
    model.eval()
    loss_sum, correct, n = 0.0, 0, 0
    for x, y in loader:
        out = model(x)
        loss_sum += criterion(out, y).item() * len(y)
        correct += (out.argmax(1) == y).sum().item()
        n += len(y)
    return loss_sum / n, correct / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--act", default="swish", choices=sorted(ACTIVATIONS))
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--lr", type=float, default=0.03)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    train_loader, val_loader = get_loaders(args.batch_size, args.seed)
    model = DigitNet(args.act)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)

    for epoch in range(args.epochs):
        model.train()
        running, seen = 0.0, 0
        for x, y in train_loader:
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(y)
            seen += len(y)
        scheduler.step()
        val_loss, val_acc = evaluate(model, val_loader, criterion)
        print(f"[{epoch + 1:02d}/{args.epochs}] train {running / seen:.4f} | val {val_loss:.4f} acc {val_acc:.3f}")


if __name__ == "__main__":
    main()
