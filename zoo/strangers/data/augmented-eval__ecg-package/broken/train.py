import torch
import torch.nn.functional as F

from data import make_loaders
from model import BeatNet
from signals import RHYTHMS

CFG = {"seed": 8, "n": 2400, "batch": 64, "epochs": 10, "lr": 2e-3}


def run_epoch(model, loader, opt):
    model.train()
    total, n = 0.0, 0
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
        n += len(y)
    return total / n


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    preds, ys = [], []
    for x, y in loader:
        preds.append(model(x).argmax(1))
        ys.append(y)
    preds, ys = torch.cat(preds), torch.cat(ys)
    per_class = {r: (preds[ys == k] == k).float().mean().item() for k, r in enumerate(RHYTHMS)}
    return (preds == ys).float().mean().item(), per_class


def main():
    torch.manual_seed(CFG["seed"])
    train, val, test = make_loaders(CFG)
    model = BeatNet()
    opt = torch.optim.AdamW(model.parameters(), lr=CFG["lr"], weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, CFG["epochs"])
    for epoch in range(CFG["epochs"]):
        loss = run_epoch(model, train, opt)
        sched.step()
        acc, _ = evaluate(model, val)
        print(f"epoch {epoch:02d} :: loss {loss:.4f} :: val acc {acc:.4f}")
    acc, per_class = evaluate(model, test)
    print("test acc %.4f" % acc, {k: round(v, 3) for k, v in per_class.items()})


if __name__ == "__main__":
    main()
