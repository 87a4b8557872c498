import math, random, time
import torch, torch.nn as nn, torch.nn.functional as F

random.seed(0); torch.manual_seed(0)

# ---- corpus: a toy command language -----------------------------------------
VERBS = ["move", "lift", "drop", "paint", "stack"]
COLOURS = ["red", "green", "blue", "amber", "white"]
THINGS = ["cube", "ball", "cone", "ring", "tower"]
PLACES = ["left", "right", "north", "south", "centre"]
LEXICON = set(VERBS + COLOURS + THINGS + PLACES + ["the", "to", "and", "then"])

def sentence():
    s = f"{random.choice(VERBS)} the {random.choice(COLOURS)} {random.choice(THINGS)} to {random.choice(PLACES)}"
    if random.random() < 0.4:
        s += f" then {random.choice(VERBS)} the {random.choice(THINGS)}"
    return s + "."

TRAIN_TEXT = " ".join(sentence() for _ in range(2500))
VALID_TEXT = " ".join(sentence() for _ in range(300))
CHARS = sorted(set(TRAIN_TEXT))
STOI = {c: i for i, c in enumerate(CHARS)}
train_ids = torch.tensor([STOI[c] for c in TRAIN_TEXT])
valid_ids = torch.tensor([STOI[c] for c in VALID_TEXT])
V = len(CHARS)

BLOCK, BATCH, DIM, HEADS, LAYERS = 40, 24, 48, 4, 2
STEPS, EVAL_EVERY, LR = 280, 40, 6e-3
FUTURE = torch.triu(torch.ones(BLOCK, BLOCK, dtype=torch.bool), diagonal=1)

class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(DIM, 3 * DIM)
        self.proj = nn.Linear(DIM, DIM)
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(DIM, dim=2)
        q = q.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        k = k.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        v = v.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        att = q @ k.transpose(-2, -1) / math.sqrt(C // HEADS)
        att.masked_fill(FUTURE[:T, :T], float("-inf"))
        att = att.softmax(dim=-1)
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.proj(y)

class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.attn = SelfAttention()
        self.mlp = nn.Sequential(nn.Linear(DIM, 4 * DIM), nn.GELU(), nn.Linear(4 * DIM, DIM))
    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))

class CharLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(V, DIM)
        self.pos = nn.Embedding(BLOCK, DIM)
        self.layers = nn.Sequential(*[Layer() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(DIM)
        self.out = nn.Linear(DIM, V)
    def forward(self, ids):
        h = self.tok(ids) + self.pos(torch.arange(ids.size(1)))
        return self.out(self.norm(self.layers(h)))

def batch_of(ids):
    at = torch.randint(0, len(ids) - BLOCK - 1, (BATCH,))
    x = torch.stack([ids[a:a + BLOCK] for a in at])
    y = torch.stack([ids[a + 1:a + BLOCK + 1] for a in at])
    return x, y

model = CharLM()
opt = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=0.01)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=LR, total_steps=STEPS)

@torch.no_grad()
def valid_bits():
    model.eval()
    tot = 0.0
    for _ in range(8):
        x, y = batch_of(valid_ids)
        tot += F.cross_entropy(model(x).reshape(-1, V), y.reshape(-1)).item()
    model.train()
    return tot / 8 / math.log(2)

@torch.no_grad()
def write(n=80, seed=". "):
    model.eval()
    ids = [STOI[c] for c in seed]
    for _ in range(n):
        logits = model(torch.tensor([ids[-BLOCK:]]))[0, -1]
        ids.append(torch.multinomial(logits.softmax(-1), 1).item())
    model.train()
    return "".join(CHARS[i] for i in ids[len(seed):])

def word_rate(text):
    words = [w.strip(".") for w in text.split()[1:-1]]
    return sum(w in LEXICON for w in words) / max(len(words), 1)

t0, run = time.time(), 0.0
for step in range(1, STEPS + 1):
    x, y = batch_of(train_ids)
    loss = F.cross_entropy(model(x).reshape(-1, V), y.reshape(-1))
    opt.zero_grad(); loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step(); sched.step()
    run += loss.item()
    if step % EVAL_EVERY == 0:
        sample = write()
        print(f"{step:4d} | train {run / EVAL_EVERY / math.log(2):.3f} bpc | valid {valid_bits():.3f} bpc "
              f"| real words in sample {word_rate(sample):.2f} | {time.time() - t0:.0f}s")
        run = 0.0

print("sample:", write(100))
print("valid bpc %.3f   share of real words in 600 generated chars %.3f" % (valid_bits(), word_rate(write(600))))
