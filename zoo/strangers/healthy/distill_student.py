#!/usr/bin/env python
"""Knowledge distillation: a wide teacher and a very narrow student on noisy glyph images.

The teacher is trained first on the labels. The student then sees both the labels and the
teacher's softened distribution.
"""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

SIDE, CLASSES = 12, 8


def make_glyphs(n, generator):
    """Each class is a fixed smooth random template; samples are shifted, scaled and noisy."""
    templates = F.avg_pool2d(torch.randn(CLASSES, 1, SIDE + 2, SIDE + 2, generator=generator), 3, stride=1)
    templates = templates / templates.flatten(1).std(dim=1).view(-1, 1, 1, 1)
    labels = torch.randint(0, CLASSES, (n,), generator=generator)
    shift = torch.randint(-2, 3, (n, 2), generator=generator)
    images = torch.stack([
        torch.roll(templates[c], shifts=(int(dy), int(dx)), dims=(1, 2))
        for c, (dy, dx) in zip(labels.tolist(), shift)
    ])
    images = images + 1.2 * torch.randn(images.shape, generator=generator)
    return images, labels


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(2 * width)
        self.fc = nn.Linear(2 * width * 9, CLASSES)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        return self.fc(x.flatten(1))


def hard_loss(student_logits, images, labels):
    return F.cross_entropy(student_logits, labels)


def make_soft_loss(teacher, temperature, mix):
    teacher = teacher.eval().requires_grad_(False)

    def soft_loss(student_logits, images, labels):
        with torch.no_grad():
            target = F.log_softmax(teacher(images) / temperature, dim=1)
        guess = F.log_softmax(student_logits / temperature, dim=1)
        kd = F.kl_div(guess, target, reduction="batchmean", log_target=True) * temperature ** 2
        return mix * kd + (1 - mix) * F.cross_entropy(student_logits, labels)

    return soft_loss


def fit(model, loader, loss_fn, epochs, lr, tag):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=lr, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        model.train()
        mean_loss = 0.0
        for images, labels in loader:
            loss = loss_fn(model(images), images, labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            mean_loss += loss.item() / len(loader)
        print(f"[{tag}] epoch {epoch + 1} loss {mean_loss:.4f}")
    return model


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return right / len(loader.dataset)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--samples", type=int, default=4000)
    ap.add_argument("--temperature", type=float, default=3.0)
    ap.add_argument("--mix", type=float, default=0.7)
    ap.add_argument("--epochs", type=int, default=7)
    ap.add_argument("--seed", type=int, default=99)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)

    data = TensorDataset(*make_glyphs(args.samples, gen))
    n_test = args.samples // 5
    train, test = random_split(data, [args.samples - n_test, n_test], generator=gen)
    train_loader = DataLoader(train, batch_size=64, shuffle=True, drop_last=True)
    test_loader = DataLoader(test, batch_size=400)

    teacher = fit(Net(24), train_loader, hard_loss, args.epochs, 0.1, "teacher")
    soft_loss = make_soft_loss(teacher, args.temperature, args.mix)
    student = fit(Net(6), train_loader, soft_loss, args.epochs, 0.1, "student")
    for name, model in [("teacher", teacher), ("student", student)]:
        print(f"{name:10s} test accuracy {accuracy(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
