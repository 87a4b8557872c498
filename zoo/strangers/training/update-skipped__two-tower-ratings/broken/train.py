import torch
import torch.nn.functional as F

from reco.config import Config
from reco.data import batches, split
from reco.model import TwoTower
from reco.optim import build_optimizer


def train_epoch(model, data, optimizer, cfg, generator):
    model.train()
    total = 0.0
    for u, i, r in batches(data, cfg.batch_size, generator):
        loss = F.mse_loss(model(u, i), r)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(r)
    return total / len(data[0])


@torch.no_grad()
def mse(model, data):
    model.eval()
    total = 0.0
    for u, i, r in batches(data, 4096):
        total += F.mse_loss(model(u, i), r, reduction="sum").item()
    return total / len(data[0])


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    order = torch.Generator().manual_seed(cfg.seed + 1)
    train, val, test = split(cfg)
    model = TwoTower(cfg)
    optimizer, scheduler = build_optimizer(model, cfg)
    for epoch in range(1, cfg.epochs + 1):
        loss = train_epoch(model, train, optimizer, cfg, order)
        scheduler.step()
        print(f"[{epoch:02d}/{cfg.epochs}] train mse {loss:.4f}  val mse {mse(model, val):.4f}")
    final = mse(model, test)
    base = (test[2] - train[2].mean()).pow(2).mean().item()
    print(f"test rmse {final ** 0.5:.3f} (predicting the mean: {base ** 0.5:.3f}), R2 {1 - final / base:.3f}")


if __name__ == "__main__":
    main()
