"""Knowledge distillation on handwritten digits.

A convolutional teacher is trained first; a small dense student then
learns from hard labels and from the teacher's softened distribution.
"""
from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class DistillConfig:
    temperature: float = 3.0
    alpha: float = 0.7
    lr: float = 2e-3
    teacher_epochs: int = 12
    student_epochs: int = 25
    batch_size: int = 64
    seed: int = 21


def get_loaders(cfg: DistillConfig) -> tuple[DataLoader, DataLoader, DataLoader]:
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1)
    labels = torch.tensor(digits.target)
    rest, test = train_test_split(range(len(labels)), test_size=0.2, stratify=labels, random_state=cfg.seed)
    train, val = train_test_split(rest, test_size=0.2, stratify=labels[rest], random_state=cfg.seed)
    mean, std = images[train].mean(), images[train].std()
    sets = [TensorDataset((images[i] - mean) / std, labels[i]) for i in (train, val, test)]
    return (
        DataLoader(sets[0], batch_size=cfg.batch_size, shuffle=True),
        DataLoader(sets[1], batch_size=256),
        DataLoader(sets[2], batch_size=256),
    )


def build_teacher() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * 16, 10),
    )


def build_student() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 10))


@torch.no_grad()
def accuracy(model: nn.Module, loader: DataLoader) -> float:
    was_training = model.training
    model.eval()
    correct = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    model.train(was_training)
    return correct / len(loader.dataset)


def fit(
    model: nn.Module,
    loss_fn: Callable[[Tensor, Tensor, Tensor], Tensor],
    train_loader: DataLoader,
    val_loader: DataLoader,
    epochs: int,
    lr: float,
    tag: str,
) -> nn.Module:
    """Train and return a copy of the model at its best validation accuracy."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    best, best_acc = copy.deepcopy(model), 0.0
    model.train()
    for epoch in range(epochs):
        total = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = loss_fn(model(x), x, y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        val_acc = accuracy(model, val_loader)
        if val_acc > best_acc:
            best, best_acc = copy.deepcopy(model), val_acc
        print(f"{tag} epoch {epoch + 1:2d} loss {total / len(train_loader.dataset):.4f} val acc {val_acc:.4f}")
    return best


def main() -> None:
    cfg = DistillConfig()
    torch.manual_seed(cfg.seed)
    train_loader, val_loader, test_loader = get_loaders(cfg)

    def hard_loss(logits: Tensor, _x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(logits, y)

    teacher = fit(build_teacher(), hard_loss, train_loader, val_loader, cfg.teacher_epochs, cfg.lr, "teacher")
    teacher.eval().requires_grad_(False)

    def distill_loss(logits: Tensor, x: Tensor, y: Tensor) -> Tensor:
        with torch.no_grad():
            soft_targets = F.softmax(teacher(x) / cfg.temperature, dim=1)
        log_probs = F.log_softmax(logits / cfg.temperature, dim=1)
        soft = F.kl_div(log_probs, soft_targets, reduction="batchmean") * cfg.temperature ** 2
        return cfg.alpha * soft + (1 - cfg.alpha) * F.cross_entropy(logits, y)

    student = fit(build_student(), distill_loss, train_loader, val_loader, cfg.student_epochs, cfg.lr, "student")
    print(f"test accuracy: teacher {accuracy(teacher, test_loader):.4f}  student {accuracy(student, test_loader):.4f}")


if __name__ == "__main__":
    main()
