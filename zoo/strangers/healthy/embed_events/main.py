"""Metric learning on procedural glyphs. Validation and test classes were never trained on."""
import csv
import io
import tempfile
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from bus import Bus, Context, run
from glyphs import GlyphSet, PKBatches

torch.manual_seed(11)
bus = Bus()


class Encoder(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.GroupNorm(4, 32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 48, 3, padding=1), nn.GroupNorm(4, 48), nn.ReLU(),
        )
        self.head = nn.Linear(48 * 25, dim)

    def forward(self, x):
        return F.normalize(self.head(self.body(x).flatten(1)), dim=1)


def multi_positive_nce(z, y, temperature=0.2):
    """Supervised contrastive loss: every same-class pair is a positive of its anchor."""
    me = torch.eye(len(y), dtype=torch.bool)
    sim = (z @ z.T / temperature).masked_fill(me, -1e9)
    logp = F.log_softmax(sim, dim=1)          # an anchor against all the others: dim 1 is meant
    pos = (y[:, None] == y[None]) & ~me
    return -(logp * pos).sum(1).div(pos.sum(1)).mean()


@torch.no_grad()
def recall_at_1(model, data):
    model.eval()
    z = torch.cat([model(x) for x in data.x.split(200)])
    sim = (z @ z.T).fill_diagonal_(-2)
    return (data.y[sim.argmax(1)] == data.y).float().mean().item()


@torch.no_grad()
def nce_on(model, sampler_loader):
    model.eval()
    losses = [multi_positive_nce(model(x), y).item() for x, y in sampler_loader]   # batches are all of one size
    return sum(losses) / len(losses)


# ---------------------------------------------------------------- what happens to a batch
@bus.on("batch:start")
def fresh(ctx):
    ctx.opt.zero_grad(set_to_none=True)


@bus.on("batch:forward")
def forward(ctx):
    x, y = ctx.batch
    ctx.loss = multi_positive_nce(ctx.model(x), y)


@bus.on("batch:backward")
def backward(ctx):
    ctx.loss.backward()


@bus.on("batch:update", priority=10)
def update(ctx):
    ctx.opt.step()


@bus.on("batch:update", priority=20)
def anneal(ctx):
    ctx.sched.step()             # OneCycle counts batches


@bus.on("batch:end")
def tally(ctx):
    ctx.running.append(ctx.loss.item())


# ---------------------------------------------------------------- what happens to an epoch
@bus.on("epoch:start")
def train_mode(ctx):
    ctx.model.train()
    ctx.running = []


@bus.on("epoch:validate")
def validate(ctx):
    ctx.val_loss = nce_on(ctx.model, ctx.val_loader)
    ctx.val_recall = recall_at_1(ctx.model, ctx.val)


@bus.on("epoch:end", priority=10)
def keep_best(ctx):
    if ctx.val_loss < ctx.best_loss:
        ctx.best_loss = ctx.val_loss
        ctx.vault = io.BytesIO()             # serialising is a copy
        torch.save(ctx.model.state_dict(), ctx.vault)
        ctx.best_epoch = ctx.epoch


@bus.on("epoch:end", priority=90)
def log(ctx):
    row = dict(epoch=ctx.epoch, train=sum(ctx.running) / len(ctx.running), val=ctx.val_loss, recall=ctx.val_recall)
    ctx.rows.append(row)
    print("  ".join(f"{k}={v:.4f}" if isinstance(v, float) else f"{k}={v:2d}" for k, v in row.items()))


@bus.on("run:end", priority=10)
def restore(ctx):
    ctx.vault.seek(0)
    ctx.model.load_state_dict(torch.load(ctx.vault))
    print(f"restored epoch {ctx.best_epoch}")


@bus.on("run:end", priority=50)
def write_csv(ctx):
    with open(ctx.out / "history.csv", "w", newline="") as fh:
        w = csv.DictWriter(fh, fieldnames=list(ctx.rows[0]))
        w.writeheader()
        w.writerows(ctx.rows)


@bus.on("run:end", priority=90)
def final_exam(ctx):
    print(f"test recall@1 on {len(ctx.test.y.unique())} unseen classes: {recall_at_1(ctx.model, ctx.test):.3f}"
          f"  (chance about {1 / len(ctx.test.y.unique()):.3f})")


if __name__ == "__main__":
    EPOCHS, PER_EPOCH = 12, 40
    train, val, test = GlyphSet(260, 12, 1), GlyphSet(40, 12, 2), GlyphSet(40, 12, 3)
    mu, sd = train.x.mean(), train.x.std()
    for part in (train, val, test):
        part.x.sub_(mu).div_(sd)

    fixed = list(PKBatches(val.y, 16, 4, 10, seed=5))          # the same ten batches in every epoch
    model = Encoder()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-3)
    with tempfile.TemporaryDirectory() as tmp:
        run(bus, Context(
            model=model, opt=opt,
            sched=torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=2e-3, total_steps=EPOCHS * PER_EPOCH),
            train_loader=DataLoader(train, batch_sampler=PKBatches(train.y, 16, 4, PER_EPOCH, seed=4)),
            val_loader=DataLoader(val, batch_sampler=fixed),
            val=val, test=test, best_loss=float("inf"), rows=[], out=Path(tmp),
        ), EPOCHS)
