# %% [markdown]
# Masked-item pretraining on unlabelled sequences, then fine-tuning with few labels:
# first only the new head (encoder frozen), then everything with a smaller rate for the encoder.

# %%
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(9)
rng = np.random.default_rng(9)

ITEMS, LENGTH, STYLES = 12, 16, 3
MASK = ITEMS          # one extra id
JUMP = rng.permuted(np.tile(np.arange(ITEMS), (STYLES, 1)), axis=1)


def browse(n):
    style = rng.integers(0, STYLES, n)
    seq = np.zeros((n, LENGTH), dtype=np.int64)
    seq[:, 0] = rng.integers(0, ITEMS, n)
    for t in range(1, LENGTH):
        nxt = JUMP[style, seq[:, t - 1]]
        seq[:, t] = np.where(rng.random(n) < 0.05, rng.integers(0, ITEMS, n), nxt)
    return torch.from_numpy(seq), torch.from_numpy(style)


unlabelled, _ = browse(6000)
few_x, few_y = browse(240)
valid_x, valid_y = browse(200)
test_x, test_y = browse(1000)


# %%
class Encoder(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.emb = nn.Embedding(ITEMS + 1, dim)
        self.pos = nn.Parameter(torch.randn(LENGTH, dim) * 0.1)
        layer = nn.TransformerEncoderLayer(dim, 4, 96, dropout=0.05, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(dim), enable_nested_tensor=False)

    def forward(self, ids):
        return self.body(self.emb(ids) + self.pos)


class Classifier(nn.Module):
    def __init__(self, encoder, dim=48):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(dim, STYLES)

    def forward(self, ids):
        return self.head(self.encoder(ids).mean(dim=1))


def corrupt(ids, gen):
    hide = torch.rand(ids.shape, generator=gen) < 0.2
    return ids.masked_fill(hide, MASK), ids.masked_fill(~hide, -100)


# %% pretraining
encoder, unmask = Encoder(), nn.Linear(48, ITEMS)
params = [*encoder.parameters(), *unmask.parameters()]
opt = torch.optim.AdamW(params, lr=3e-3, weight_decay=0.01)
STEPS = 700
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, total_steps=STEPS, pct_start=0.1)
gen = torch.Generator().manual_seed(1)
recent = []
for step in range(1, STEPS + 1):
    encoder.train()
    batch = unlabelled[torch.randint(len(unlabelled), (32,), generator=gen)]
    seen, target = corrupt(batch, gen)
    loss = F.cross_entropy(unmask(encoder(seen)).flatten(0, 1), target.flatten(), ignore_index=-100)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 3.0)
    opt.step()
    sched.step()
    recent.append(loss.item())
    if step % 100 == 0:
        encoder.eval()
        with torch.no_grad():
            seen, target = corrupt(valid_x, torch.Generator().manual_seed(2))
            held = F.cross_entropy(unmask(encoder(seen)).flatten(0, 1), target.flatten(), ignore_index=-100).item()
        print(f"pretrain {step}: train {np.mean(recent):.3f}  held-out {held:.3f}")
        recent = []


# %% fine-tuning
@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def run_epochs(model, optimizer, epochs, tag, frozen):
    best, kept = -1.0, None
    for epoch in range(1, epochs + 1):
        model.train()
        if frozen:
            model.encoder.eval()
        total = 0.0
        for ids in torch.randperm(len(few_x)).split(24):
            loss = F.cross_entropy(model(few_x[ids]), few_y[ids])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(ids)
        acc = accuracy(model, valid_x, valid_y)
        if acc > best:
            best, kept = acc, copy.deepcopy(model.state_dict())
        if epoch % 5 == 0:
            print(f"{tag} {epoch}: loss {total / len(few_x):.3f}  valid acc {acc:.3f}")
    model.load_state_dict(kept)
    return best


model = Classifier(encoder)
encoder.requires_grad_(False)
run_epochs(model, torch.optim.AdamW(model.head.parameters(), lr=1e-2), 15, "head only", frozen=True)

encoder.requires_grad_(True)
both = torch.optim.AdamW([
    {"params": model.encoder.parameters(), "lr": 5e-4},
    {"params": model.head.parameters(), "lr": 2e-3},
], weight_decay=0.01)
run_epochs(model, both, 15, "all layers", frozen=False)

# %%
print(f"test accuracy with {len(few_x)} labels: {accuracy(model, test_x, test_y):.3f} (chance {1 / STYLES:.2f})")
