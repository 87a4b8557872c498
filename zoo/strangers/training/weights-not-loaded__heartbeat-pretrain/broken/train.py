"""Two stages: pretrain the encoder on beat intervals, tune a rhythm classifier on few labels."""
import argparse
import os
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from data import RHYTHMS, Standardize, make_records
from models import BeatTagger, Encoder, RhythmClassifier


def pretrain(x, gaps, path, epochs, batch_size, lr):
    model = BeatTagger(Encoder())
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    loader = DataLoader(TensorDataset(x, gaps), batch_size, shuffle=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, lr, total_steps=epochs * len(loader))
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for xb, gb in loader:
            opt.zero_grad()
            loss = F.smooth_l1_loss(model(xb), gb)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            total += loss.item() * len(xb)
        print(f"pretrain {epoch + 1}: interval loss {total / len(x):.4f}")
    torch.save({"state": model.state_dict(), "epochs": epochs}, path)


def load_pretrained(module, path):
    """Take over every tensor of the checkpoint that `module` has a place for."""
    saved = torch.load(path, map_location="cpu", weights_only=True)["state"]
    own = module.state_dict()
    own.update({k: v for k, v in saved.items() if k in own and v.shape == own[k].shape})
    module.load_state_dict(own)
    return module


def build_classifier(path):
    model = RhythmClassifier(Encoder(), len(RHYTHMS))
    load_pretrained(model.encoder, path)
    return model


def finetune(model, train, epochs, batch_size, lr):
    groups = [{"params": model.encoder.parameters(), "lr": lr / 3}, {"params": model.head.parameters()}]
    opt = torch.optim.AdamW(groups, lr=lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    loader = DataLoader(train, batch_size, shuffle=True)
    for epoch in range(epochs):
        model.train()
        losses = []
        for xb, yb in loader:
            opt.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
            losses.append(loss.item())
        sched.step()
        if (epoch + 1) % 5 == 0:
            print(f"finetune {epoch + 1}: loss {np.mean(losses):.4f}")


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return torch.cat([model(c) for c in x.split(256)]).argmax(1).eq(y).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--study", type=int, default=2500)
    ap.add_argument("--clinical", type=int, default=240)
    ap.add_argument("--test", type=int, default=1000)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    x_study, _, gaps = make_records(args.study, rng)
    x_clin, y_clin, _ = make_records(args.clinical, rng)
    x_test, y_test, _ = make_records(args.test, rng)
    scale, gap_scale = Standardize().fit(x_study), Standardize().fit(gaps)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "encoder.pt")
        pretrain(scale(x_study), gap_scale(gaps), path, epochs=8, batch_size=64, lr=4e-3)
        model = build_classifier(path)
    finetune(model, TensorDataset(scale(x_clin), y_clin), epochs=20, batch_size=16, lr=2e-3)
    print(f"test accuracy {accuracy(model, scale(x_test), y_test):.4f}")


if __name__ == "__main__":
    main()
