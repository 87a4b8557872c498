"""python train.py -- subject-specific decoder with early stopping on the validation loss."""
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from callbacks import History, KeepBest
from data import build_splits
from model import TrialNet

CFG = {
    "seed": 21,
    "n_train": 900,
    "n_val": 400,
    "n_test": 1000,
    "batch_size": 32,
    "lr": 1e-3,
    "max_epochs": 60,
    "patience": 30,
}


@torch.no_grad()
def run_eval(model, loader):
    model.eval()
    nll, hits, n = 0.0, 0, 0
    for x, y in loader:
        logits = model(x)
        nll += F.cross_entropy(logits, y, reduction="sum").item()
        hits += (logits.argmax(1) == y).sum().item()
        n += len(y)
    return nll / n, hits / n


def train_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
    return total / len(loader.dataset)


def main():
    torch.manual_seed(CFG["seed"])
    train, val, test = build_splits(CFG["n_train"], CFG["n_val"], CFG["n_test"], CFG["seed"])
    train_loader = DataLoader(train, CFG["batch_size"], shuffle=True)
    val_loader, test_loader = DataLoader(val, 250), DataLoader(test, 250)

    model = TrialNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=CFG["lr"])
    keeper, history = KeepBest(patience=CFG["patience"]), History(every=3)

    for epoch in range(CFG["max_epochs"]):
        train_loss = train_epoch(model, train_loader, optimizer)
        val_loss, val_acc = run_eval(model, val_loader)
        history.add(epoch, train_loss=train_loss, val_loss=val_loss, val_acc=val_acc)
        if keeper.update(epoch, val_loss, model):
            print(f"stopping at epoch {epoch}")
            break

    best = keeper.restore(model)
    test_loss, test_acc = run_eval(model, test_loader)
    print(f"restored epoch {best} (val loss {keeper.best_value:.4f})")
    print(f"test nll {test_loss:.4f}  test acc {test_acc:.4f}")


if __name__ == "__main__":
    main()
