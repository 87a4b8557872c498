# Multiple-instance learning on slide patches: a bag is positive if it holds at least one tumour-like patch.
# Gated attention pooling (Ilse et al.), bags of different size batched by a segment index.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

CFG = {
    "data": {"bags": 1600, "dim": 20, "min": 5, "max": 14, "val": 400},
    "model": {"embed": 6, "attn": 16},
    "optim": {"lr": 4e-3, "wd": 1e-3, "epochs": 16, "bags_per_batch": 32},
    "seed": 21,
}


def make_bags(cfg, gen):
    d = cfg["dim"]
    basis = torch.linalg.qr(torch.randn(d, d, generator=gen))[0]
    bags = []
    for _ in range(cfg["bags"] + cfg["val"]):
        size = int(torch.randint(cfg["min"], cfg["max"] + 1, (1,), generator=gen))
        label = int(torch.randint(0, 2, (1,), generator=gen))
        patches = torch.randn(size, d, generator=gen)
        radius = patches[:, :2].norm(dim=1, keepdim=True)
        patches[:, :2] *= radius.clamp(max=1.4) / radius
        if label:
            for j in range(1 + int(torch.randint(0, 2, (1,), generator=gen))):
                angle = 2 * math.pi * torch.rand(1, generator=gen)
                patches[j, :2] = 2.6 * torch.cat([angle.cos(), angle.sin()])
        bags.append((patches[torch.randperm(size, generator=gen)] @ basis, float(label)))
    return bags[:cfg["bags"]], bags[cfg["bags"]:]


def collate(bags):
    x = torch.cat([b for b, _ in bags])
    seg = torch.repeat_interleave(torch.arange(len(bags)), torch.tensor([len(b) for b, _ in bags]))
    return x, seg, torch.tensor([label for _, label in bags])


def segment_softmax(score, seg, n):
    top = torch.full((n,), -1e9).scatter_reduce(0, seg, score.detach(), "amax")
    e = (score - top[seg]).exp()
    return e / torch.zeros(n).index_add(0, seg, e)[seg]


class AttentionMIL(nn.Module):
    def __init__(self, dim, embed, attn):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, embed))
        self.gate_v = nn.Linear(embed, attn)
        self.gate_u = nn.Linear(embed, attn)
        self.score = nn.Linear(attn, 1)
        self.classifier = nn.Sequential(nn.Linear(embed, 16), nn.ReLU(), nn.Linear(16, 1))
        self.patch_features = None

    def forward(self, x, seg, n):
        h = self.patch_features = self.encoder(x).detach()
        a = self.score(torch.tanh(self.gate_v(h)) * torch.sigmoid(self.gate_u(h))).squeeze(1)
        w = segment_softmax(a, seg, n)
        pooled = torch.zeros(n, h.shape[1]).index_add(0, seg, w.unsqueeze(1) * h)
        return self.classifier(pooled).squeeze(1)


def run(cfg):
    torch.manual_seed(cfg["seed"])
    train, val = make_bags(cfg["data"], torch.Generator().manual_seed(cfg["seed"]))
    model = AttentionMIL(cfg["data"]["dim"], **cfg["model"])
    o = cfg["optim"]
    opt = torch.optim.AdamW(model.parameters(), lr=o["lr"], weight_decay=o["wd"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, o["epochs"])
    vx, vseg, vy = collate(val)
    for epoch in range(o["epochs"]):
        model.train()
        running = 0.0
        for idx in torch.randperm(len(train)).split(o["bags_per_batch"]):
            x, seg, y = collate([train[i] for i in idx.tolist()])
            loss = F.binary_cross_entropy_with_logits(model(x, seg, len(y)), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(y)
        sched.step()
        model.eval()
        with torch.no_grad():
            logit = model(vx, vseg, len(vy))
            vloss = F.binary_cross_entropy_with_logits(logit, vy).item()
            acc = ((logit > 0).float() == vy).float().mean().item()
        print(f"epoch {epoch + 1:2d}  train {running / len(train):.4f}  val {vloss:.4f}  bag accuracy {acc:.3f}  patch feature std {model.patch_features.std().item():.2f}")


run(CFG)
