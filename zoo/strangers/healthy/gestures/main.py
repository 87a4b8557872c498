"""Learn an embedding in which repetitions of one gesture lie together, then look up gestures never seen in training.

There is no classifier: the train, validation and test sets have entirely different gesture classes.
"""
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from data import GestureSet, PKSampler
from losses import batch_all_triplet, cosine_distances

SEED, EPOCHS, TEMPERATURE = 3, 14, 0.2


class Encoder(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(2, 24, 5, stride=2, padding=2), nn.GroupNorm(4, 24), nn.ReLU(),
            nn.Conv1d(24, 48, 3, stride=2, padding=1), nn.GroupNorm(4, 48), nn.ReLU(),
            nn.Flatten(), nn.Linear(48 * 8, dim),
        )

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def embed(model, ds):
    model.eval()
    with torch.no_grad():
        return torch.cat([model(x) for x, _ in DataLoader(ds, batch_size=500)])


def retrieval(z, y):
    """Recall@1 and mean average precision of the same-class neighbours, every item a query in turn."""
    d = cosine_distances(z).fill_diagonal_(float("inf"))
    order = d.argsort(1)[:, :-1]
    hit = (y[order] == y[:, None]).float()
    ranks = torch.arange(1, hit.shape[1] + 1)
    ap = (hit * hit.cumsum(1) / ranks).sum(1) / hit.sum(1)
    return hit[:, 0].mean().item(), ap.mean().item()


@torch.no_grad()
def mean_triplet(model, loader):
    model.eval()
    losses = [batch_all_triplet(model(x), y, TEMPERATURE) for x, y in loader]
    return torch.stack(losses).mean().item()               # PK batches all have the same size


def main():
    torch.manual_seed(SEED)
    train, val, test = GestureSet(1500, 8, seed=100), GestureSet(100, 12, seed=200), GestureSet(100, 12, seed=300)
    loader = DataLoader(train, batch_sampler=PKSampler(train.y, p=24, k=4, batches=60, seed=SEED))
    val_batches = list(PKSampler(val.y, p=24, k=4, batches=12, seed=99))          # drawn once, the same every epoch
    val_loader = DataLoader(val, batch_sampler=val_batches)

    model = Encoder()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS, eta_min=1e-4)
    r1, m = retrieval(embed(model, val), val.y)
    print(f"untrained: val R@1 {r1:.3f} mAP {m:.3f}")
    for epoch in range(EPOCHS):
        model.train()
        running = 0.0
        for x, y in loader:
            loss = batch_all_triplet(model(x), y, TEMPERATURE)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
        sched.step()
        r1, m = retrieval(embed(model, val), val.y)
        print(f"epoch {epoch + 1:2d}: triplet {running / len(loader):.4f}  val triplet {mean_triplet(model, val_loader):.4f}"
              f"  val R@1 {r1:.3f} mAP {m:.3f}")

    r1, m = retrieval(embed(model, test), test.y)
    print(f"test, 100 unseen gestures: R@1 {r1:.3f} mAP {m:.3f} (chance R@1 {11 / (len(test) - 1):.3f})")


if __name__ == "__main__":
    main()
