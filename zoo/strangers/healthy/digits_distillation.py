"""Compress a small conv net into a tiny MLP (handwritten digits, 8x8)."""
import argparse
import random

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True),
            nn.Conv2d(32, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
            nn.MaxPool2d(2), nn.Dropout2d(0.1),
        )
        self.classifier = nn.Linear(64 * 16, 10)

    def forward(self, x):
        return self.classifier(self.features(x.view(-1, 1, 8, 8)).flatten(1))


def student_net():
    return nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 10))


class DistillLoss(nn.Module):
    def __init__(self, temperature=3.0, alpha=0.7):
        super().__init__()
        self.t, self.alpha = temperature, alpha

    def forward(self, student_logits, teacher_logits, y):
        soft = F.kl_div(F.log_softmax(student_logits / self.t, dim=-1),
                        F.softmax(teacher_logits / self.t, dim=-1), reduction="batchmean") * self.t ** 2
        return self.alpha * soft + (1 - self.alpha) * F.cross_entropy(student_logits, y)


@torch.inference_mode()
def accuracy(net, loader):
    was_training = net.training
    net.eval()
    good = sum((net(x).argmax(-1) == y).sum().item() for x, y in loader)
    net.train(was_training)
    return good / len(loader.dataset)


def train_teacher(loader, val, epochs):
    net = Teacher()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(net(x), y, label_smoothing=0.05).backward()
            opt.step()
        print(f"teacher epoch {epoch + 1}  val acc {accuracy(net, val):.4f}")
    return net.eval().requires_grad_(False)


def train_student(teacher, loader, val, epochs):
    net = student_net()
    criterion = DistillLoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.1, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        total = 0.0
        for x, y in loader:
            with torch.no_grad():
                target = teacher(x)
            loss = criterion(net(x), target, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.detach() * len(x)
        if epoch % 5 == 4:
            print(f"student epoch {epoch + 1}  loss {total.item() / len(loader.dataset):.4f}  val acc {accuracy(net, val):.4f}")
    return net


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--teacher-epochs", type=int, default=8)
    p.add_argument("--student-epochs", type=int, default=40)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    x, y = load_digits(return_X_y=True)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.25, stratify=y, random_state=args.seed)
    x_tr, x_va, y_tr, y_va = train_test_split(x_tr, y_tr, test_size=0.15, stratify=y_tr, random_state=args.seed)
    mean, std = x_tr.mean(), x_tr.std()
    ds = lambda a, b: TensorDataset(torch.tensor((a - mean) / std, dtype=torch.float32), torch.tensor(b))
    train = DataLoader(ds(x_tr, y_tr), batch_size=32, shuffle=True, drop_last=True)
    val, test = DataLoader(ds(x_va, y_va), batch_size=256), DataLoader(ds(x_te, y_te), batch_size=256)

    teacher = train_teacher(train, val, args.teacher_epochs)
    student = train_student(teacher, train, val, args.student_epochs)
    n = lambda m: sum(q.numel() for q in m.parameters())
    print(f"teacher ({n(teacher)} params) test acc {accuracy(teacher, test):.4f}")
    print(f"student ({n(student)} params) test acc {accuracy(student, test):.4f}")


if __name__ == "__main__":
    main()
