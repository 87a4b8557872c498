"""BYOL on sklearn digits; linear evaluation on frozen features."""
import copy
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CFG = dict(seed=7, epochs=20, bs=128, lr=3e-3, wd=1e-4, ema_base=0.98, dim=128, proj=64, shots=50)


class Augment:
    """random shift, brightness, noise and patch erasing on [B,1,8,8]"""

    def __call__(self, x):
        b = x.size(0)
        theta = torch.zeros(b, 2, 3)
        rot = (torch.rand(b) - 0.5) * 0.5
        scale = 1 + (torch.rand(b) - 0.5) * 0.3
        theta[:, 0, 0] = rot.cos() * scale
        theta[:, 0, 1] = -rot.sin() * scale
        theta[:, 1, 0] = rot.sin() * scale
        theta[:, 1, 1] = rot.cos() * scale
        theta[:, :, 2] = (torch.rand(b, 2) - 0.5) * 0.5
        x = F.grid_sample(x, F.affine_grid(theta, x.shape, align_corners=False), align_corners=False)
        x = x * (0.7 + 0.6 * torch.rand(b, 1, 1, 1))
        r, c = torch.randint(0, 7, (2, b))
        mask = torch.ones_like(x)
        for i in range(b):
            mask[i, :, r[i]:r[i] + 2, c[i]:c[i] + 2] = 0
        return (x * mask + 0.05 * torch.randn_like(x)).clamp_(0, 1)


def encoder(dim):
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 64, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
        nn.Conv2d(64, dim, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(dim), nn.ReLU(),
        nn.Flatten(), nn.Linear(dim * 4, dim))


def head(i, o, hidden=256):
    return nn.Sequential(nn.Linear(i, hidden, bias=False), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, o))


class BYOL(nn.Module):
    def __init__(self, dim, proj):
        super().__init__()
        self.backbone = encoder(dim)
        self.projector = head(dim, proj)
        self.predictor = head(proj, proj)
        self.target = copy.deepcopy(nn.Sequential(self.backbone, self.projector)).requires_grad_(False)

    def forward(self, v1, v2):
        p1 = self.predictor(self.projector(self.backbone(v1)))
        p2 = self.predictor(self.projector(self.backbone(v2)))
        with torch.no_grad():
            t1, t2 = self.target(v1), self.target(v2)
        sim = F.cosine_similarity(p1, t2, dim=1) + F.cosine_similarity(p2, t1, dim=1)
        return (2 - sim).mean()

    @torch.no_grad()
    def update_target(self, tau):
        online = nn.Sequential(self.backbone, self.projector)
        for pt, po in zip(self.target.parameters(), online.parameters()):
            pt.mul_(tau).add_(po, alpha=1 - tau)


@torch.no_grad()
def embed(net, x):
    was = net.training
    net.eval()
    z = net(x).numpy()
    net.train(was)
    return z


def probe(net, xl, yl, xt, yt):
    clf = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000))
    return clf.fit(embed(net, xl), yl).score(embed(net, xt), yt)


def main(cfg):
    torch.manual_seed(cfg["seed"]); np.random.seed(cfg["seed"])
    d = load_digits()
    imgs = torch.tensor(d.images / 16.0, dtype=torch.float32)[:, None]
    ids = np.arange(len(imgs))
    tr, te = train_test_split(ids, test_size=0.25, stratify=d.target, random_state=cfg["seed"])
    few, _ = train_test_split(tr, train_size=cfg["shots"], stratify=d.target[tr], random_state=cfg["seed"])
    unlabeled = imgs[tr]

    model = BYOL(cfg["dim"], cfg["proj"])
    print(f"untrained backbone, {cfg['shots']} labels: {probe(model.backbone, imgs[few], d.target[few], imgs[te], d.target[te]):.3f}")
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(params, lr=cfg["lr"], weight_decay=cfg["wd"])
    per_epoch = len(unlabeled) // cfg["bs"]
    total, step = per_epoch * cfg["epochs"], 0
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, total)
    aug = Augment()
    for ep in range(cfg["epochs"]):
        losses = []
        for idx in torch.randperm(len(unlabeled))[: per_epoch * cfg["bs"]].split(cfg["bs"]):
            loss = model(aug(unlabeled[idx]), aug(unlabeled[idx]))
            opt.zero_grad(); loss.backward(); opt.step(); sched.step()
            step += 1
            tau = 1 - (1 - cfg["ema_base"]) * (np.cos(np.pi * step / total) + 1) / 2
            model.update_target(tau)
            losses.append(loss.item())
        if (ep + 1) % 5 == 0:
            spread = F.normalize(torch.from_numpy(embed(model.backbone, unlabeled)), dim=1).std(0).mean().item()
            print(f"ep {ep + 1:>3} loss {np.mean(losses):.4f} tau {tau:.4f} feature std {spread:.4f}")
    for tag, sub in ((f"{cfg['shots']} labels", few), ("all labels", tr)):
        print(f"linear probe ({tag}): test acc {probe(model.backbone, imgs[sub], d.target[sub], imgs[te], d.target[te]):.3f}")


if __name__ == "__main__":
    main(CFG)
