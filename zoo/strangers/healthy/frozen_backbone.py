"""
Transfer learning tutorial
==========================
1. pretrain a small CNN on the digits 0-5 and save it;
2. load the backbone into a new network with a head for 6-9;
3. freeze the backbone and train the head only, on 200 images.
"""
import os
import tempfile

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(21)

digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1)
labels = torch.tensor(digits.target)

# --------------------------------------------------------------------------- data
source = (labels <= 5).nonzero().squeeze(1)
target = (labels >= 6).nonzero().squeeze(1)
src_train, src_val = train_test_split(source.numpy(), test_size=0.2, stratify=labels[source], random_state=0)
tgt_rest, tgt_test = train_test_split(target.numpy(), test_size=200, stratify=labels[target], random_state=0)
tgt_train, tgt_val = train_test_split(tgt_rest, train_size=200, stratify=labels[tgt_rest], random_state=0)

# the pretraining statistics travel with the backbone and serve the new task too
MEAN, STD = images[src_train].mean(), images[src_train].std()


def loader(index, first_class, train=False):
    ds = TensorDataset((images[index] - MEAN) / STD, labels[index] - first_class)
    return DataLoader(ds, batch_size=40 if train else 200, shuffle=train)


# --------------------------------------------------------------------------- model
def make_backbone():
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        nn.Conv2d(24, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(48, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())


class Classifier(nn.Module):
    def __init__(self, n_classes, freeze_backbone=False):
        super().__init__()
        self.backbone = make_backbone()
        self.head = nn.Linear(48 * 2 * 2, n_classes)
        self.freeze_backbone = freeze_backbone
        if freeze_backbone:
            self.backbone.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        if self.freeze_backbone:
            self.backbone.eval()      # frozen means the batch-norm statistics as well
        return self

    def forward(self, x):
        if self.freeze_backbone:
            with torch.no_grad():     # only the head needs a graph
                features = self.backbone(x)
        else:
            features = self.backbone(x)
        return self.head(features)


def fit(model, train_dl, val_dl, epochs, lr):
    params = [p for p in model.parameters() if p.requires_grad]
    print(f"  training {sum(p.numel() for p in params)} of {sum(p.numel() for p in model.parameters())} parameters")
    opt = torch.optim.Adam(params, lr=lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs, eta_min=lr / 50)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(1, epochs + 1):
        model.train()
        total, n = 0.0, 0
        for x, y in train_dl:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
            n += len(y)
        sched.step()
        if epoch in (1, epochs) or epoch % max(1, epochs // 6) == 0:
            vl, va = test(model, val_dl)
            print(f"  epoch {epoch:3d}: train loss {total / n:.4f}, val loss {vl:.4f}, val acc {va:.3f}")


@torch.no_grad()
def test(model, dl):
    model.eval()
    loss, right, n = 0.0, 0, 0
    for x, y in dl:
        out = model(x)
        loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
        right += (out.argmax(dim=1) == y).sum().item()
        n += len(y)
    return loss / n, right / n


# --------------------------------------------------------------------------- run
print("pretraining on 0-5")
pre = Classifier(6)
fit(pre, loader(src_train, 0, train=True), loader(src_val, 0), epochs=15, lr=1e-3)

with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "pretrained.pt")
    torch.save(pre.state_dict(), path)

    model = Classifier(4, freeze_backbone=True)
    weights = {k: v for k, v in torch.load(path).items() if not k.startswith("head.")}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert set(missing) == {"head.weight", "head.bias"} and not unexpected, (missing, unexpected)

before = [v.clone() for v in model.backbone.state_dict().values()]
print("training a new head for 6-9")
fit(model, loader(tgt_train, 6, train=True), loader(tgt_val, 6), epochs=80, lr=3e-3)
assert all(torch.equal(a, b) for a, b in zip(before, model.backbone.state_dict().values()))

loss, acc = test(model, loader(tgt_test, 6))
print(f"test on 6-9: loss {loss:.4f}, accuracy {acc:.3f}")
