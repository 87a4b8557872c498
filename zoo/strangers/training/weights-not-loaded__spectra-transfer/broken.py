"""Pre-train on many simulated mixtures, then fit a classifier on the few labelled spectra of a small lab."""
import os
import tempfile

import torch
import torch.nn.functional as F

from nets import Classifier, ShareModel
from spectra import library, measure


def pretrain(peaks, gen, path, epochs=12, batch=64):
    x, _, share = measure(5000, peaks, gen)
    held_x, _, held_share = measure(500, peaks, gen)
    model = ShareModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(1, epochs + 1):
        model.train()
        for idx in torch.randperm(len(x)).split(batch):
            optimizer.zero_grad()
            F.mse_loss(model(x[idx]), share[idx]).backward()
            optimizer.step()
        if epoch % 4 == 0:
            model.eval()
            with torch.no_grad():
                held = F.mse_loss(model(held_x), held_share).item()
            print(f"pretrain epoch {epoch:2d}  held-out share mse {held:.5f}")
    torch.save({"epoch": epochs, "model": model.state_dict()}, path)


def warm_start(model, path):
    """Copy over every tensor of the checkpoint that fits this network."""
    saved = torch.load(path, weights_only=True)["model"]
    own = model.state_dict()
    fitting = {name: t for name, t in saved.items() if name in own and t.shape == own[name].shape}
    own.update(fitting)
    model.load_state_dict(own)
    return model


def finetune(model, x, y, epochs=60, batch=25):
    model.body.requires_grad_(False)
    optimizer = torch.optim.AdamW(model.top.parameters(), lr=1e-2, weight_decay=1e-2)
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x[idx]), y[idx])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        if epoch % 20 == 0:
            print(f"finetune epoch {epoch:2d}  train loss {total / len(x):.4f}")
    return model


@torch.no_grad()
def score(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(12)
    gen = torch.Generator().manual_seed(12)
    peaks = library(seed=12)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shares.pt")
        pretrain(peaks, gen, path)
        model = warm_start(Classifier(), path)
    lab_x, lab_y, _ = measure(250, peaks, gen)
    test_x, test_y, _ = measure(2000, peaks, gen)
    finetune(model, lab_x, lab_y)
    print(f"lab accuracy {score(model, lab_x, lab_y):.4f}   test accuracy {score(model, test_x, test_y):.4f}")


if __name__ == "__main__":
    main()
