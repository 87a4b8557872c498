"""Single-product shelf detector: where is the product and which of six is it?

Shared trunk, a box head (x1, y1, x2, y2) and a class head. SGD with clipping, one-cycle.
"""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

IMG = 32
N_CLASSES = 6


def texture(kind, h, w, gen):
    yy, xx = torch.meshgrid(torch.arange(h).float(), torch.arange(w).float(), indexing="ij")
    ph = torch.rand(1, generator=gen).item() * 2 * math.pi
    waves = [torch.sin(1.3 * xx + ph), torch.sin(1.3 * yy + ph), torch.sin(0.9 * (xx + yy) + ph),
             torch.sin(1.3 * xx + ph) * torch.sin(1.3 * yy + ph), torch.sin(2.6 * xx + ph), torch.zeros_like(xx)]
    return waves[kind]


def render(n, seed):
    gen = torch.Generator().manual_seed(seed)
    images = 0.25 * torch.randn(n, 1, IMG, IMG, generator=gen)
    boxes, labels = torch.zeros(n, 4), torch.randint(N_CLASSES, (n,), generator=gen)
    for k in range(n):
        w, h = torch.randint(10, 18, (2,), generator=gen).tolist()
        x = torch.randint(0, IMG - w, (1,), generator=gen).item()
        y = torch.randint(0, IMG - h, (1,), generator=gen).item()
        images[k, 0, y:y + h, x:x + w] += 0.8 + 0.7 * texture(labels[k].item(), h, w, gen)
        boxes[k] = torch.tensor([x, y, x + w, y + h])
    return images, boxes, labels


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        chans = [1, 12, 24, 32]
        layers = []
        for a, b in zip(chans[:-1], chans[1:]):
            layers += [nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2)]
        self.trunk = nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * 16, 96), nn.ReLU())
        self.box_head = nn.Linear(96, 4)
        self.cls_head = nn.Linear(96, N_CLASSES)

    def forward(self, x):
        h = self.trunk(x)
        return self.box_head(h), self.cls_head(h)


class DetectionLoss(nn.Module):
    def __init__(self, box_weight=4.0):
        super().__init__()
        self.box_weight = box_weight

    def forward(self, box_pred, logits, boxes, labels):
        box = F.mse_loss(box_pred, boxes)
        cls = F.cross_entropy(logits, labels)
        return self.box_weight * box + cls, box.detach(), cls.detach()


def to_pixels(box_pred):
    return box_pred


def iou(a, b):
    tl, br = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    inter = (br - tl).clamp(min=0).prod(1)
    area = lambda r: (r[:, 2:] - r[:, :2]).clamp(min=0).prod(1)
    return inter / (area(a) + area(b) - inter).clamp(min=1e-6)


@torch.no_grad()
def evaluate(model, images, boxes, labels):
    model.eval()
    box_pred, logits = model(images)
    ok = logits.argmax(1) == labels
    return iou(to_pixels(box_pred), boxes).mean().item(), ok.float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--lr", type=float, default=0.1)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    images, boxes, labels = render(960, seed=100)
    test = render(300, seed=200)
    model, criterion = Detector(), DetectionLoss()
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    steps = args.epochs * math.ceil(len(images) / args.batch)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=steps)
    for epoch in range(args.epochs):
        model.train()
        sums = torch.zeros(2)
        for idx in torch.randperm(len(images)).split(args.batch):
            box_pred, logits = model(images[idx])
            loss, box, cls = criterion(box_pred, logits, boxes[idx], labels[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            opt.step()
            sched.step()
            sums += torch.stack([box, cls]) * len(idx)
        box_avg, cls_avg = (sums / len(images)).tolist()
        print(f"ep {epoch:2d}  box {box_avg:.4f}  cls {cls_avg:.4f}  lr {sched.get_last_lr()[0]:.4f}")
    mean_iou, acc = evaluate(model, *test)
    print(f"test: mean IoU {mean_iou:.3f}   class accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
