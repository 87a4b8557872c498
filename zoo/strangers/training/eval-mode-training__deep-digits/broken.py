import logging
from dataclasses import dataclass

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("digits")


@dataclass
class Config:
    depth: int = 12
    width: int = 64
    lr: float = 0.05
    momentum: float = 0.9
    weight_decay: float = 5e-4
    epochs: int = 15
    batch_size: int = 64
    seed: int = 1234


class DeepMLP(nn.Module):
    """A plain deep stack; batch norm keeps the signal alive at this depth."""

    def __init__(self, n_in, n_out, cfg):
        super().__init__()
        layers, prev = [], n_in
        for _ in range(cfg.depth):
            layers += [nn.Linear(prev, cfg.width, bias=False), nn.BatchNorm1d(cfg.width), nn.ReLU()]
            prev = cfg.width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(prev, n_out)

    def forward(self, x):
        return self.head(self.body(x))


def get_loaders(cfg):
    X, y = load_digits(return_X_y=True)
    X_tmp, X_te, y_tmp, y_te = train_test_split(X, y, test_size=0.2, stratify=y, random_state=cfg.seed)
    X_tr, X_va, y_tr, y_va = train_test_split(X_tmp, y_tmp, test_size=0.2, stratify=y_tmp, random_state=cfg.seed)
    mean, std = X_tr.mean(), X_tr.std()
    loaders = []
    for A, b, train in ((X_tr, y_tr, True), (X_va, y_va, False), (X_te, y_te, False)):
        ds = TensorDataset(torch.tensor((A - mean) / std, dtype=torch.float32), torch.tensor(b))
        loaders.append(DataLoader(ds, batch_size=cfg.batch_size, shuffle=train, drop_last=train))
    return loaders


@torch.no_grad()
def evaluate(model, loader, loss_fn):
    model.eval()
    loss_sum, correct, n = 0.0, 0, 0
    for x, y in loader:
        logits = model(x)
        loss_sum += loss_fn(logits, y).item() * y.size(0)
        correct += (logits.argmax(1) == y).sum().item()
        n += y.size(0)
    return loss_sum / n, correct / n


def train_one_epoch(model, loader, loss_fn, opt):
    loss_sum, n = 0.0, 0
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = loss_fn(model(x), y)
        loss.backward()
        opt.step()
        loss_sum += loss.item() * y.size(0)
        n += y.size(0)
    return loss_sum / n


def main(cfg):
    torch.manual_seed(cfg.seed)
    train_dl, val_dl, test_dl = get_loaders(cfg)
    model = DeepMLP(64, 10, cfg)
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum, weight_decay=cfg.weight_decay)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.epochs)

    val_loss, val_acc = evaluate(model, val_dl, loss_fn)
    log.info("untrained: val loss %.4f acc %.3f", val_loss, val_acc)

    for epoch in range(cfg.epochs):
        train_loss = train_one_epoch(model, train_dl, loss_fn, opt)
        sched.step()
        val_loss, val_acc = evaluate(model, val_dl, loss_fn)
        log.info("epoch %02d train loss %.4f | val loss %.4f acc %.3f", epoch + 1, train_loss, val_loss, val_acc)

    test_loss, test_acc = evaluate(model, test_dl, loss_fn)
    log.info("test: loss %.4f acc %.3f", test_loss, test_acc)


if __name__ == "__main__":
    main(Config())
