"""Semi-supervised digits: 150 labelled and about 900 unlabelled images, mean teacher with pseudo-label consistency.

The teacher is an exponential average of the student, gets no gradient, and labels a gently noised view of each
unlabelled image; the student must agree on a strongly noised one. Labelled batches repeat many times by necessity.
"""
import copy
import itertools

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ConvNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3), nn.Linear(24 * 16, 10))


def weak(x):
    return x + 0.1 * torch.randn_like(x)


def strong(x):
    shift = torch.randint(-1, 2, (2,)).tolist()
    x = torch.roll(x, shift, dims=(2, 3))
    keep = (torch.rand(x.shape[0], 1, 8, 8) > 0.1).float()
    return x * keep + 0.2 * torch.randn_like(x)


@torch.no_grad()
def move_teacher(teacher, student, decay):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(decay).add_(s, alpha=1 - decay)


@torch.no_grad()
def test(model, x, y):
    model.eval()
    out = model(x)
    model.train()
    return (out.argmax(1) == y).float().mean().item(), F.cross_entropy(out, y).item()


def prepare(seed):
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x, dtype=torch.float32).view(-1, 1, 8, 8) / 16 * 2 - 0.6
    y = torch.tensor(y)
    rest, test_idx = train_test_split(range(len(y)), test_size=0.3, stratify=y, random_state=seed)
    unl, rest = train_test_split(rest, test_size=350, stratify=y[rest], random_state=seed)
    val_idx, lab = train_test_split(rest, test_size=150, stratify=y[rest], random_state=seed)
    return x, y, lab, unl, val_idx, test_idx


def main(seed=9, steps=400):
    torch.manual_seed(seed)
    x, y, lab, unl, val, tst = prepare(seed)
    labelled = DataLoader(TensorDataset(x[lab], y[lab]), batch_size=50, shuffle=True)
    unlabelled = DataLoader(x[unl], batch_size=100, shuffle=True, drop_last=True)
    forever = lambda loader: itertools.chain.from_iterable(itertools.repeat(loader))

    student = ConvNet()
    teacher = copy.deepcopy(student).requires_grad_(False)
    opt = torch.optim.Adam(student.parameters(), lr=6e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    sums = torch.zeros(3)
    for step, ((xl, yl), xu) in enumerate(zip(forever(labelled), forever(unlabelled)), 1):
        teacher.eval()
        with torch.no_grad():
            prob = teacher(weak(xu)).softmax(1)
            confidence, pseudo = prob.max(1)
            mask = (confidence > 0.8).float()
        supervised = F.cross_entropy(student(strong(xl)), yl)
        consistency = (F.cross_entropy(student(strong(xu)), pseudo, reduction="none") * mask).mean()
        loss = supervised + min(1.0, step / 150) * consistency
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        move_teacher(teacher, student, decay=min(0.98, 1 - 1 / (step + 1)))
        sums += torch.tensor([supervised.item(), consistency.item(), mask.mean().item()])
        if step % 50 == 0:
            s, c, m = (sums / 50).tolist()
            sums.zero_()
            acc, vloss = test(teacher, x[val], y[val])
            print(f"step {step:4d} supervised {s:.3f} consistency {c:.3f} confident {m:.2f} | "
                  f"val loss {vloss:.3f} acc {acc:.3f}")
        if step == steps:
            break

    acc_t, loss_t = test(teacher, x[tst], y[tst])
    acc_l, loss_l = test(teacher, x[lab], y[lab])
    print(f"final: test acc {acc_t:.3f} loss {loss_t:.3f} (labelled images: acc {acc_l:.3f} loss {loss_l:.3f})")


if __name__ == "__main__":
    main()
