"""Semi-supervised digit recognition with a mean teacher (Tarvainen & Valpola style)."""
import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class Config:
    seed: int = 11
    n_labelled: int = 120
    epochs: int = 25
    labelled_batch: int = 32
    unlabelled_batch: int = 96
    lr: float = 2e-3
    ema_decay: float = 0.98
    consistency_max: float = 4.0
    rampup_epochs: int = 8
    noise: float = 0.15


class ConvNet(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.GroupNorm(4, width), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.GroupNorm(4, 2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
        )
        self.classifier = nn.Linear(8 * width, 10)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


@torch.no_grad()
def ema_update(target: nn.Module, source: nn.Module, decay: float):
    for p_tgt, p_src in zip(target.parameters(), source.parameters()):
        p_tgt.mul_(decay).add_(p_src, alpha=1.0 - decay)


def build_splits(cfg: Config):
    images, labels = load_digits(return_X_y=True)
    images = (images / 16.0).astype(np.float32).reshape(-1, 1, 8, 8)
    x_pool, x_test, y_pool, y_test = train_test_split(
        images, labels, test_size=0.3, stratify=labels, random_state=cfg.seed)
    x_unl, x_lab, _, y_lab = train_test_split(
        x_pool, y_pool, test_size=cfg.n_labelled, stratify=y_pool, random_state=cfg.seed)
    as_t = torch.from_numpy
    return as_t(x_lab), as_t(y_lab), as_t(x_unl), as_t(x_test), as_t(y_test)


class MeanTeacherTrainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        self.x_lab, self.y_lab, self.x_unl, self.x_test, self.y_test = build_splits(cfg)
        self.student = ConvNet()
        self.teacher = copy.deepcopy(self.student)
        self.teacher.requires_grad_(False)
        self.optim = torch.optim.Adam(self.student.parameters(), lr=cfg.lr)
        self.global_step = 0

    def perturb(self, x):
        dx, dy = np.random.randint(-1, 2, size=2)
        x = torch.roll(x, shifts=(int(dx), int(dy)), dims=(2, 3))
        return x + self.cfg.noise * torch.randn_like(x)

    def consistency_weight(self, epoch):
        t = min(1.0, epoch / self.cfg.rampup_epochs)
        return self.cfg.consistency_max * float(np.exp(-5.0 * (1.0 - t) ** 2))

    def training_step(self, xl, yl, xu, weight):
        sup = F.cross_entropy(self.student(self.perturb(xl)), yl)
        everything = torch.cat([xl, xu])
        noisy = self.perturb(everything)
        p_student = self.student(noisy).softmax(-1)
        with torch.no_grad():
            p_teacher = self.teacher(everything).softmax(-1)
        cons = F.mse_loss(p_student, p_teacher)
        total = sup + weight * cons
        self.optim.zero_grad(set_to_none=True)
        total.backward()
        self.optim.step()
        ema_update(self.teacher, self.student, self.cfg.ema_decay)
        self.global_step += 1
        return sup.item(), cons.item()

    @torch.no_grad()
    def accuracy(self, net):
        net.eval()
        acc = (net(self.x_test).argmax(-1) == self.y_test).float().mean().item()
        net.train()
        return acc

    def fit(self):
        cfg = self.cfg
        for epoch in range(cfg.epochs):
            weight = self.consistency_weight(epoch)
            logs = []
            for chunk in torch.randperm(len(self.x_unl)).split(cfg.unlabelled_batch):
                pick = torch.randint(0, len(self.x_lab), (cfg.labelled_batch,))
                logs.append(self.training_step(self.x_lab[pick], self.y_lab[pick],
                                               self.x_unl[chunk], weight))
            sup, cons = np.mean(logs, axis=0)
            print(f"[epoch {epoch:02d} step {self.global_step:4d}] sup={sup:.4f} cons={cons:.5f} "
                  f"w={weight:.2f} | student_acc={self.accuracy(self.student):.4f} "
                  f"teacher_acc={self.accuracy(self.teacher):.4f}")
        return self.accuracy(self.teacher)


if __name__ == "__main__":
    config = Config()
    np.random.seed(config.seed)
    final = MeanTeacherTrainer(config).fit()
    print(f"final teacher test accuracy: {final:.4f}")
