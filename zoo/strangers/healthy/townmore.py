"""
townmore: you give it a pile of made-up town names, it makes more of them.

A tiny decoder-only transformer in one file, in the spirit of the little one-file LMs we all
learned from. No DataLoader, no Trainer: batches are drawn with randint, the learning rate is
written into the param groups by hand, and the output head *is* the embedding table.
"""
import math
import time
import torch
import torch.nn as nn
from torch.nn import functional as F

# ----------------------------------------------------------------------------- knobs
batch_size = 64
max_iters = 800
eval_interval = 100
warmup_iters = 60
max_lr, min_lr = 5e-3, 1e-4
n_embd, n_head, n_layer, dropout = 32, 4, 2, 0.0
torch.manual_seed(1337)
# ----------------------------------------------------------------------------- the names
g = torch.Generator().manual_seed(7)


def pick(options):
    return options[torch.randint(len(options), (1,), generator=g).item()]


def make_name():
    onset = "b br c cl d dr f g gl h k l m n p r s st t th v w".split()
    vowel = "a e i o u ae ea ou".split()
    coda = "n r l s rn sk m nd".split() + [""] * 5
    ends = "ton ham ford wick by mere stead burgh field dale worth".split()
    out = ""
    for _ in range(int(torch.randint(1, 3, (1,), generator=g))):
        out += pick(onset) + pick(vowel) + pick(coda)
    return out + pick(ends)


names = set()
while len(names) < 24000:
    w = make_name()
    if len(w) <= 13:
        names.add(w)
names = sorted(names)                                    # a set has no order: sort, then permute
perm = torch.randperm(len(names), generator=g).tolist()
names = [names[i] for i in perm]
chars = sorted(set("".join(names)))
stoi = {c: i + 1 for i, c in enumerate(chars)}           # 0 is both <start> and <stop>
itos = {i: c for c, i in stoi.items()}
vocab_size = len(chars) + 1
block_size = max(map(len, names)) + 1


def encode(ws):
    x = torch.zeros(len(ws), block_size, dtype=torch.long)
    y = torch.full((len(ws), block_size), -1, dtype=torch.long)
    for r, w in enumerate(ws):
        ix = torch.tensor([stoi[c] for c in w])
        x[r, 1:1 + len(ix)] = ix
        y[r, :len(ix)] = ix
        y[r, len(ix)] = 0
    return x, y


splits = {"train": encode(names[:20000]), "val": encode(names[20000:22000]), "test": encode(names[22000:])}
print(f"{len(names)} unique names, vocab {vocab_size}, block {block_size}")
print("e.g.", ", ".join(names[:6]))


def get_batch():
    x, y = splits["train"]
    ix = torch.randint(len(x), (batch_size,))
    return x[ix], y[ix]


# ----------------------------------------------------------------------------- model
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.qkv = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.proj = nn.Linear(n_embd, n_embd)
        self.mlp = nn.ModuleDict(dict(up=nn.Linear(n_embd, 4 * n_embd), down=nn.Linear(4 * n_embd, n_embd)))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(self.ln1(x)).split(C, dim=-1)
        q, k, v = (t.view(B, T, n_head, C // n_head).transpose(1, 2) for t in (q, k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropout if self.training else 0.0)
        x = x + self.drop(self.proj(a.transpose(1, 2).reshape(B, T, C)))
        return x + self.drop(self.mlp.down(F.gelu(self.mlp.up(self.ln2(x)))))


class TownLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(*[Block() for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.apply(self._init)
        for n, p in self.named_parameters():
            if n.endswith(("proj.weight", "down.weight")):
                nn.init.normal_(p, std=0.05 / math.sqrt(2 * n_layer))
        self.lm_head.weight = self.wte.weight            # tied

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.05)
        if isinstance(m, nn.Linear) and m.bias is not None:
            nn.init.zeros_(m.bias)

    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        logits = self.lm_head(self.ln_f(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.reshape(-1, vocab_size), targets.reshape(-1), ignore_index=-1)


@torch.no_grad()
def evaluate(split, limit=None):
    """nats per predicted character, exact (weighted by the number of characters)"""
    model.eval()
    X, Y = (t[:limit] for t in splits[split])
    tot = cnt = 0
    for x, y in zip(X.split(500), Y.split(500)):
        n = (y != -1).sum().item()
        tot += model(x, y)[1].item() * n
        cnt += n
    model.train()
    return tot / cnt


@torch.no_grad()
def sample(n):
    model.eval()
    idx = torch.zeros(n, 1, dtype=torch.long)
    for _ in range(block_size - 1):
        p = F.softmax(model(idx)[0][:, -1], dim=-1)
        idx = torch.cat([idx, torch.multinomial(p, 1)], 1)
    model.train()
    words = []
    for row in idx[:, 1:].tolist():
        words.append("".join(itos[i] for i in row[:row.index(0)]) if 0 in row else "".join(itos[i] for i in row))
    return words


def lr_at(it):
    if it < warmup_iters:
        return max_lr * (it + 1) / warmup_iters
    r = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1 + math.cos(math.pi * r)) * (max_lr - min_lr)


model = TownLM()
decay = [p for p in model.parameters() if p.dim() >= 2]  # parameters() lists the tied matrix once
nodecay = [p for p in model.parameters() if p.dim() < 2]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": nodecay, "weight_decay": 0.0}],
                        lr=max_lr, betas=(0.9, 0.98))
print(f"{sum(p.numel() for p in model.parameters())} parameters; uniform guess would cost {math.log(vocab_size):.3f}")

t0 = time.time()
for it in range(max_iters):
    if it % eval_interval == 0:
        print(f"iter {it:4d} | train {evaluate('train', 2000):.4f} | val {evaluate('val'):.4f} | {time.time()-t0:.1f}s")
    for group in opt.param_groups:
        group["lr"] = lr_at(it)
    _, loss = model(*get_batch())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()

print(f"done      | train {evaluate('train', 2000):.4f} | val {evaluate('val'):.4f}")
nll = evaluate("test")
print(f"test nll {nll:.4f}  perplexity {math.exp(nll):.3f}")
known = set(names[:20000])
new = sample(20)
print("samples:", ", ".join(new))
print(f"{sum(w not in known for w in new)} of {len(new)} are not in the training list")
