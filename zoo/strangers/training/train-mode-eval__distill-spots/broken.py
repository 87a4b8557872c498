import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

CLASSES = 6


class SpotTextures(Dataset):
    """Synthetic leaf textures, generated folder by folder like the field images."""

    def __init__(self, per_class, seed):
        g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.linspace(-1, 1, 20), torch.linspace(-1, 1, 20), indexing="ij")
        self.items = []
        for c in range(CLASSES):
            for _ in range(per_class):
                ang = torch.tensor(c * torch.pi / CLASSES) + 0.14 * torch.randn(1, generator=g)
                freq = 5 + 2 * torch.rand(1, generator=g)
                phase = 6.28 * torch.rand(1, generator=g)
                wave = torch.sin(freq * (xx * ang.cos() + yy * ang.sin()) + phase)
                gain = 0.8 + 0.4 * torch.rand(1, generator=g)
                img = gain * wave + 0.9 * torch.randn(20, 20, generator=g)
                self.items.append((img[None], c))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def conv_bn(i, o, stride=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())


def build_net(width, dropout):
    return nn.Sequential(
        conv_bn(1, width),
        conv_bn(width, width * 2, 2),
        conv_bn(width * 2, width * 2, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(dropout),
        nn.Linear(width * 2, CLASSES),
    )


class Distiller(nn.Module):
    def __init__(self, teacher, student, temperature=3.0, alpha=0.6):
        super().__init__()
        self.teacher = teacher.requires_grad_(False)
        self.student = student
        self.t = temperature
        self.alpha = alpha

    def train(self, mode=True):
        # the teacher is a fixed function, whatever phase we are in
        super().train()
        self.teacher.eval()
        return self

    def forward(self, x):
        return self.student(x)

    def loss(self, x, y):
        with torch.no_grad():
            soft = F.softmax(self.teacher(x) / self.t, dim=1)
        logits = self.student(x)
        kd = F.kl_div(F.log_softmax(logits / self.t, dim=1), soft, reduction="batchmean") * self.t ** 2
        return self.alpha * kd + (1 - self.alpha) * F.cross_entropy(logits, y)


class PlainObjective(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)

    def loss(self, x, y):
        return F.cross_entropy(self.net(x), y)


@torch.no_grad()
def accuracy(task, loader):
    task.eval()
    right = total = 0
    for x, y in loader:
        right += (task(x).argmax(1) == y).sum().item()
        total += y.numel()
    return right / total


def fit(task, params, train_loader, val_loader, epochs, lr, tag):
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=lr, total_steps=epochs * len(train_loader))
    for epoch in range(epochs):
        task.train()
        running = 0.0
        for x, y in train_loader:
            opt.zero_grad(set_to_none=True)
            loss = task.loss(x, y)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item() * len(y)
        print(f"[{tag}] {epoch + 1}/{epochs} loss={running / len(train_loader.dataset):.3f} "
              f"val={accuracy(task, val_loader):.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    train_loader = DataLoader(SpotTextures(200, seed=1), batch_size=48, shuffle=True)
    val_loader = DataLoader(SpotTextures(50, seed=2), batch_size=50)
    test_loader = DataLoader(SpotTextures(50, seed=3), batch_size=50)

    teacher_task = PlainObjective(build_net(16, 0.1))
    fit(teacher_task, teacher_task.parameters(), train_loader, val_loader, 6, 1e-2, "teacher")

    distiller = Distiller(copy.deepcopy(teacher_task.net), build_net(8, 0.1))
    fit(distiller, distiller.student.parameters(), train_loader, val_loader, 9, 1e-2, "student")
    print("teacher test acc", round(accuracy(teacher_task, test_loader), 3))
    print("student test acc", round(accuracy(distiller, test_loader), 3))
