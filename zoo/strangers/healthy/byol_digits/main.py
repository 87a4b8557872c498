"""Self-supervised pre-training on the digits, judged by a linear probe on frozen features."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from augment import TwoViews
from nets import BYOL

SEED, EPOCHS, BATCH = 11, 50, 128


def load():
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1)
    y = torch.tensor(d.target)
    rest, test = train_test_split(range(len(y)), test_size=0.2, stratify=y, random_state=SEED)
    train, val = train_test_split(rest, test_size=0.15, stratify=y[rest], random_state=SEED)
    mu, sd = x[train].mean(), x[train].std()
    x = (x - mu) / sd
    return {k: (x[i], y[i]) for k, i in (("train", train), ("val", val), ("test", test))}


def pretrain(x, g):
    model = BYOL()
    views = TwoViews(g)
    opt = torch.optim.AdamW(model.learned(), lr=2e-3, weight_decay=1e-4)
    steps = len(x) // BATCH
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS * steps, eta_min=1e-4)
    model.train()
    for epoch in range(1, EPOCHS + 1):
        order = torch.randperm(len(x), generator=g)
        running = 0.0
        for i in range(steps):  # the incomplete last batch sits out, another one each epoch
            xb = x[order[i * BATCH:(i + 1) * BATCH]]
            loss = model(*views(xb))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            model.move_target()
            running += loss.item()
        if epoch % 10 == 0 or epoch == 1:
            print(f"[byol] epoch {epoch:3d}  loss {running / steps:.4f}")
    return model.online["encoder"]


@torch.no_grad()
def embed(encoder, x):
    encoder.eval()
    return encoder(x)


def linear_probe(feats, g):
    """Only the probe learns; the features are constants by now."""
    (ftr, ytr), (fva, yva) = feats["train"], feats["val"]
    mu, sd = ftr.mean(0), ftr.std(0).clamp_min(1e-3)
    scale = lambda f: (f - mu) / sd
    probe = nn.Linear(ftr.size(1), 10)
    opt = torch.optim.AdamW(probe.parameters(), lr=5e-3, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 80, eta_min=2e-4)
    for epoch in range(1, 81):
        for idx in torch.randperm(len(ytr), generator=g).split(128):
            loss = F.cross_entropy(probe(scale(ftr[idx])), ytr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
        if epoch % 10 == 0:
            with torch.no_grad():
                tr = F.cross_entropy(probe(scale(ftr)), ytr)
                out = probe(scale(fva))
            print(f"[probe] epoch {epoch:3d}  train {tr:.4f}  val {F.cross_entropy(out, yva):.4f}"
                  f"  val acc {(out.argmax(1) == yva).float().mean():.4f}")
    return lambda f: probe(scale(f))


def main():
    torch.manual_seed(SEED)
    g = torch.Generator().manual_seed(SEED)
    data = load()
    encoder = pretrain(data["train"][0], g)
    feats = {k: (embed(encoder, x), y) for k, (x, y) in data.items()}
    spread = F.normalize(feats["val"][0] - feats["val"][0].mean(0), dim=1).std(0).mean()
    print(f"feature spread {spread:.4f} (collapse would be 0, isotropic {encoder.dim ** -0.5:.4f})")
    head = linear_probe(feats, g)
    with torch.no_grad():
        f, y = feats["test"]
        acc = (head(f).argmax(1) == y).float().mean()
    print(f"test accuracy of the linear probe: {acc:.4f}")


if __name__ == "__main__":
    main()
