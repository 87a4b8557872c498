"""Entry point: python main.py"""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from config import CONFIG
from net import build_mlp, loss_and_accuracy
from spirals import splits


def run(cfg):
    torch.manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"])
    train, val, test = splits(rng=rng, **cfg["data"])
    net = build_mlp(2, cfg["data"]["arms"], **cfg["model"])
    t = cfg["train"]
    loader = DataLoader(TensorDataset(*train), batch_size=t["batch_size"], shuffle=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=t["lr"], weight_decay=t["weight_decay"])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=t["epochs"], eta_min=t["lr"] / 20)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(t["epochs"]):
        net.train()
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        schedule.step()
        val_loss, val_acc = loss_and_accuracy(net, *val)
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:2d}  loss {total / len(loader.dataset):.4f}  val {val_loss:.4f}  acc {val_acc:.3f}")

    print(f"test accuracy {loss_and_accuracy(net, *test)[1]:.3f}")


if __name__ == "__main__":
    run(CONFIG)
