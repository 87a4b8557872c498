import time

import torch
import torch.nn.functional as F

from feeder import Feeder
from net import BurstNet
from signals import NAMES, make_bursts

STEPS = 2400
BATCH = 64
LR = 2e-3
EVAL_EVERY = 400


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    pred = net(x).argmax(1)
    net.train()
    per_class = [(pred[y == k] == k).float().mean().item() for k in range(len(NAMES))]
    return (pred == y).float().mean().item(), per_class


def main():
    torch.manual_seed(7)
    x_train, y_train = make_bursts(6000, seed=1)
    x_val, y_val = map(torch.from_numpy, make_bursts(1000, seed=2))
    x_test, y_test = map(torch.from_numpy, make_bursts(2000, seed=3))

    feeder = Feeder(x_train, y_train, BATCH, seed=5)
    net = BurstNet()
    opt = torch.optim.AdamW(net.parameters(), lr=LR, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)

    start = time.time()
    smooth = None
    x, y = feeder.next()
    for step in range(1, STEPS + 1):
        loss = F.cross_entropy(net(x), y)
        upcoming = feeder.next()        # gather the next batch while this one is in flight

        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        x, y = upcoming

        smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
        if step % EVAL_EVERY == 0:
            acc, _ = accuracy(net, x_val, y_val)
            print(f"step {step:5d} | epoch {feeder.epoch:3d} | loss {smooth:.4f} | val acc {acc:.3f} | {time.time() - start:.1f}s")

    acc, per_class = accuracy(net, x_test, y_test)
    print("test accuracy %.4f" % acc)
    for name, value in zip(NAMES, per_class):
        print(f"   {name:6s} {value:.3f}")


if __name__ == "__main__":
    main()
