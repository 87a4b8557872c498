"""Knowledge distillation on the 8x8 digits: a wide teacher, then a 16-unit student.

The student sees softmax(teacher / T) as the target and gives log_softmax(student / T) to KLDivLoss;
the T^2 factor keeps the size of its gradient independent of T.
"""
import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

T, MIX, BATCH = 3.0, 0.7, 64


def load(seed=0):
    x, y = load_digits(return_X_y=True)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=450, stratify=y, random_state=seed)
    to_x = lambda a: torch.tensor(a / 8.0 - 1.0, dtype=torch.float32)
    return to_x(x_tr), torch.tensor(y_tr), to_x(x_te), torch.tensor(y_te)


def make_net(width, p):
    return nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Dropout(p), nn.Linear(width, 10))


class HardLoss:
    def __init__(self):
        self.ce = nn.CrossEntropyLoss()

    def __call__(self, logits, x, y):
        return self.ce(logits, y)


class DistilLoss:
    def __init__(self, teacher):
        self.teacher = teacher.eval().requires_grad_(False)
        self.kl = nn.KLDivLoss(reduction="batchmean")
        self.ce = nn.CrossEntropyLoss()

    def __call__(self, logits, x, y):
        with torch.no_grad():
            soft = torch.softmax(self.teacher(x) / T, dim=-1)
        match = self.kl(torch.log_softmax(logits / T, dim=-1), soft) * T * T
        return MIX * match + (1 - MIX) * self.ce(logits, y)


def train(net, loss_fn, x, y, epochs, lr, name):
    opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    curve = []
    for _ in range(epochs):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(BATCH):
            loss = loss_fn(net(x[idx]), x[idx], y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        curve.append(total / len(x))
    print(f"{name}: loss {curve[0]:.3f} -> {curve[-1]:.3f}")
    return net


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    return (net(x).argmax(-1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    x, y, x_te, y_te = load()
    teacher = train(make_net(256, 0.3), HardLoss(), x, y, epochs=25, lr=2e-3, name="teacher")
    student = train(make_net(16, 0.0), DistilLoss(teacher), x, y, epochs=40, lr=1e-2, name="student")
    for name, net in (("teacher", teacher), ("student", student)):
        size = sum(p.numel() for p in net.parameters())
        print(f"{name}: test accuracy {accuracy(net, x_te, y_te):.3f} with {size} parameters")


if __name__ == "__main__":
    main()
