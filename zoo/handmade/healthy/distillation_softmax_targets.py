"""Distil a wide classifier of radio-tuner settings into a narrow one with softened targets."""

import torch
import torch.nn as nn
import torch.nn.functional as F

CLASSES = 5


def make_data(n, gen):
    x = torch.randn(n, 8, generator=gen)
    bend = torch.sin(1.5 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.7 * x[:, 3]
    edges = torch.tensor([-1.05, -0.33, 0.33, 1.05])
    return x, torch.bucketize(bend, edges)


def mlp(width):
    return nn.Sequential(
        nn.Linear(8, width),
        nn.SiLU(),
        nn.Linear(width, width),
        nn.SiLU(),
        nn.Linear(width, CLASSES),
    )


def batches(n, size):
    yield from torch.randperm(n).split(size)


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        return (net(x).argmax(dim=-1) == y).float().mean().item()


def train_teacher(net, x, y, epochs=12):
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for idx in batches(len(x), 100):
            loss = F.cross_entropy(net(x[idx]), y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        schedule.step()
        print(f"teacher epoch {epoch + 1:2d} loss {total / len(x):.4f}")


def distil(student, teacher, x, y, epochs=15, temperature=2.0, alpha=0.5):
    teacher.eval()
    optimizer = torch.optim.Adam(student.parameters(), lr=6e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        student.train()
        total = 0.0
        for idx in batches(len(x), 100):
            with torch.no_grad():
                soft_targets = F.softmax(teacher(x[idx]) / temperature, dim=-1)
            logits = student(x[idx])
            soft_log_probs = F.log_softmax(logits / temperature, dim=-1)
            soft_loss = F.kl_div(soft_log_probs, soft_targets, reduction="batchmean")
            hard_loss = F.cross_entropy(logits, y[idx])
            loss = alpha * temperature**2 * soft_loss + (1 - alpha) * hard_loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        schedule.step()
        print(f"student epoch {epoch + 1:2d} loss {total / len(x):.4f}")


def main():
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(40)
    train_x, train_y = make_data(5000, gen)
    test_x, test_y = make_data(1000, gen)

    teacher, student = mlp(96), mlp(24)
    train_teacher(teacher, train_x, train_y)
    distil(student, teacher, train_x, train_y)
    print(f"teacher accuracy {accuracy(teacher, test_x, test_y):.3f}")
    print(f"student accuracy {accuracy(student, test_x, test_y):.3f}")


if __name__ == "__main__":
    main()
