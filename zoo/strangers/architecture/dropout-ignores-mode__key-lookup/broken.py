# %% [markdown]
# Slot lookup: a sequence of (key, value) tokens followed by a query key; predict the value stored under it.

# %%
from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

torch.set_num_threads(1)


@dataclass
class Cfg:
    n_keys: int = 12
    n_values: int = 8
    n_slots: int = 6
    dim: int = 48
    heads: int = 2
    dropout: float = 0.3
    steps: int = 1600
    batch_size: int = 128
    lr: float = 2e-3
    seed: int = 31


cfg = Cfg()
torch.manual_seed(cfg.seed)


# %%
def sample(n: int, gen: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    keys = torch.rand(n, cfg.n_keys, generator=gen).argsort(1)[:, : cfg.n_slots]
    values = torch.randint(cfg.n_values, (n, cfg.n_slots), generator=gen)
    pick = torch.randint(cfg.n_slots, (n, 1), generator=gen)
    return keys, values, keys.gather(1, pick).squeeze(1), values.gather(1, pick).squeeze(1)


train_gen = torch.Generator().manual_seed(cfg.seed)
val_set = sample(2000, torch.Generator().manual_seed(cfg.seed + 1))
test_set = sample(4000, torch.Generator().manual_seed(cfg.seed + 2))


# %%
class CrossAttention(nn.Module):
    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def _split(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        return x.view(b, t, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, query: Tensor, memory: Tensor) -> Tensor:
        q, k, v = self._split(self.q(query)), self._split(self.k(memory)), self._split(self.v(memory))
        out = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout)
        b, h, t, d = out.shape
        return self.o(out.transpose(1, 2).reshape(b, t, h * d))


class SlotReader(nn.Module):
    def __init__(self, c: Cfg) -> None:
        super().__init__()
        self.key_emb = nn.Embedding(c.n_keys, c.dim)
        self.val_emb = nn.Embedding(c.n_values, c.dim)
        self.attn = CrossAttention(c.dim, c.heads, c.dropout)
        self.norm = nn.LayerNorm(c.dim)
        self.head = nn.Sequential(nn.Linear(c.dim, c.dim), nn.ReLU(), nn.Linear(c.dim, c.n_values))

    def forward(self, keys: Tensor, values: Tensor, query: Tensor) -> Tensor:
        memory = self.key_emb(keys) + self.val_emb(values)
        q = self.key_emb(query).unsqueeze(1)
        return self.head(self.norm(self.attn(q, memory).squeeze(1)))


# %%
model = SlotReader(cfg)
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.01)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.steps)


@torch.no_grad()
def evaluate(data: tuple[Tensor, Tensor, Tensor, Tensor]) -> tuple[float, float]:
    model.eval()
    keys, values, query, target = data
    logits = model(keys, values, query)
    return F.cross_entropy(logits, target).item(), (logits.argmax(1) == target).float().mean().item()


# %%
window = 0.0
for step in range(1, cfg.steps + 1):
    model.train()
    keys, values, query, target = sample(cfg.batch_size, train_gen)
    loss = F.cross_entropy(model(keys, values, query), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    window += loss.item()
    if step % 200 == 0:
        val_loss, val_acc = evaluate(val_set)
        print(f"step {step:4d}  train {window / 200:.4f}  val {val_loss:.4f}  acc {val_acc:.4f}")
        window = 0.0

# %%
for attempt in range(3):
    test_loss, test_acc = evaluate(test_set)
    print(f"test pass {attempt}: loss {test_loss:.4f}  acc {test_acc:.4f}")
