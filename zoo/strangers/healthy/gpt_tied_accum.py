"""A very small decoder-only language model on a synthetic grammar.

Tied input / output embeddings, micro-batches with gradient accumulation, separate decay groups.
"""
import math
import os

import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional as F

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)

block_size, n_embd, n_head, n_layer = 48, 64, 4, 2
micro_batch, accum_steps = 12, 2
max_iters, warmup_iters = 600, 30
max_lr, min_lr = 3e-3, 3e-4
eval_every, eval_iters = 120, 12

# ---- corpus: subject - verb - object clauses with number agreement across a distractor ----
SING, PLUR = ["cat", "dog", "bird", "robot"], ["cats", "dogs", "birds", "robots"]
OBJ = ["a ball", "the moon", "two stones", "the river"]


def sentence(rng):
    plural = rng.random() < 0.5
    subj = rng.choice(PLUR if plural else SING)
    if rng.random() < 0.6:
        subj = f"{subj} near the {rng.choice(SING + PLUR)}"
    verb = rng.choice(["sees", "likes", "wants"])
    verb = verb[:-1] if plural else verb
    return f"the {subj} {verb} {rng.choice(OBJ)}."


def corpus(n, seed):
    rng = np.random.default_rng(seed)
    return " ".join(sentence(rng) for _ in range(n))


train_text, val_text = corpus(6000, 1000 + SEED), corpus(700, 9000 + SEED)
chars = sorted(set(train_text))
stoi = {c: i for i, c in enumerate(chars)}
train_data = torch.tensor([stoi[c] for c in train_text])
val_data = torch.tensor([stoi[c] for c in val_text])


def get_batch(split):
    data = train_data if split == "train" else val_data
    ix = torch.randint(len(data) - block_size - 1, (micro_batch,))
    x = torch.stack([data[i:i + block_size] for i in ix])
    y = torch.stack([data[i + 1:i + 1 + block_size] for i in ix])
    return x, y


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.proj = nn.Linear(n_embd, n_embd, bias=False)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, n_head, C // n_head).transpose(1, 2) for t in self.qkv(x).split(C, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention()
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.wte = nn.Embedding(vocab, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList([Block() for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab, bias=False)
        self.apply(self._init)
        self.lm_head.weight = self.wte.weight
        for name, p in self.named_parameters():
            if name.endswith("proj.weight") or name.endswith("mlp.2.weight"):
                nn.init.normal_(p, 0.0, 0.02 / math.sqrt(2 * n_layer))

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, 0.0, 0.02)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
        for blk in self.blocks:
            x = blk(x)
        if targets is None:
            return self.lm_head(self.ln_f(x[:, [-1]])), None
        logits = self.lm_head(self.ln_f(x))
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


def lr_at(it):
    if it < warmup_iters:
        return max_lr * (it + 1) / warmup_iters
    r = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1 + math.cos(math.pi * r)) * (max_lr - min_lr)


@torch.no_grad()
def estimate(model):
    model.eval()
    out = {s: sum(model(*get_batch(s))[1].item() for _ in range(eval_iters)) / eval_iters for s in ("train", "val")}
    model.train()
    return out


model = GPT(len(chars))
decay = [p for p in model.parameters() if p.dim() >= 2]
rest = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}],
                              lr=max_lr, betas=(0.9, 0.95))
print(f"{sum(p.numel() for p in model.parameters()) / 1e3:.0f}k parameters, ln(vocab) = {math.log(len(chars)):.3f}")
model.train()
for it in range(max_iters):
    for group in optimizer.param_groups:
        group["lr"] = lr_at(it)
    if it % eval_every == 0:
        e = estimate(model)
        print(f"iter {it:4d}  train {e['train']:.4f}  val {e['val']:.4f}")
    for _ in range(accum_steps):
        _, loss = model(*get_batch("train"))
        (loss / accum_steps).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)

# number agreement across a distractor noun: does the verb end in "s" or in a blank?
model.eval()
cases = [(f"the {noun} near the {other} {verb}", plural)
         for plural, nouns in ((False, SING), (True, PLUR)) for noun in nouns
         for other in SING + PLUR for verb in ("see", "like", "want")]
with torch.no_grad():
    right = 0
    for prompt, plural in cases:
        ctx = torch.tensor([[stoi[c] for c in "the dog sees the moon. "[-(block_size - len(prompt)):] + prompt]])
        last = model(ctx)[0][0, -1]
        right += (last[stoi[" "]] > last[stoi["s"]]).item() == plural
e = estimate(model)
print(f"final val loss {e['val']:.4f} nats/char, agreement {right / len(cases):.3f}")
