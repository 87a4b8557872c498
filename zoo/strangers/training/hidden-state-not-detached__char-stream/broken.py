# min-char-rnn, batched: stream of toy sentences, truncated BPTT, Adagrad by hand
import random
import resource
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

seed, B, T, H, epochs, lr = 8, 16, 20, 64, 4, 0.08
torch.manual_seed(seed)
torch.set_num_threads(1)

# --- text
rng = random.Random(seed)
nouns = "cat dog owl fox hen".split()
verbs = {"cat": "naps", "dog": "runs", "owl": "hoots", "fox": "digs", "hen": "lays"}


def sentence():
    a, b = rng.sample(nouns, 2)
    return rng.choice([f"the {a} {verbs[a]}. ", f"the {a} sees the {b}. ", f"a {a} and a {b}. "])


def text(n_char):
    out = ""
    while len(out) < n_char:
        out += sentence()
    return out[:n_char]


train_txt, val_txt = text(B * (T * 60 + 1)), text(6001)
chars = sorted(set(train_txt))
stoi = {c: i for i, c in enumerate(chars)}
enc = lambda s: torch.tensor([stoi[c] for c in s])
train = enc(train_txt).view(B, -1)
val = enc(val_txt).view(1, -1)
V = len(chars)
print(f"{train.numel()} chars, vocab {V}, {B} parallel streams")


class Adagrad(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, dict(lr=lr))

    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                s = self.state[p].setdefault("sum", torch.zeros_like(p.data))
                s.addcmul_(p.grad, p.grad)
                p.data.addcdiv_(p.grad, s.sqrt() + 1e-8, value=-g["lr"])


class CharRNN(nn.Module):
    def __init__(self, v, h):
        super().__init__()
        self.wx = nn.Embedding(v, h)
        self.wh = nn.Linear(h, h)
        self.wy = nn.Linear(h, v)
        nn.init.normal_(self.wx.weight, std=0.3)
        nn.init.orthogonal_(self.wh.weight, gain=0.9)

    def forward(self, idx, h):
        e, hs = self.wx(idx), []
        for t in range(idx.size(1)):
            h = torch.tanh(e[:, t] + self.wh(h))
            hs.append(h)
        return self.wy(torch.stack(hs, 1)), h


@torch.no_grad()
def val_bpc(model):
    model.eval()
    z, _ = model(val[:, :-1], torch.zeros(1, H))
    model.train()
    return F.cross_entropy(z.flatten(0, 1), val[:, 1:].flatten()).item() / 0.6931


model = CharRNN(V, H)
opt = Adagrad(model.parameters(), lr)
for ep in range(epochs):
    h = torch.zeros(B, H)
    tic, tot = time.time(), 0.0
    for k, i in enumerate(range(0, train.size(1) - T, T), 1):
        x, y = train[:, i:i + T], train[:, i + 1:i + T + 1]
        logits, h = model(x, h)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward(retain_graph=True)
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        tot += loss.item()
        if k % 20 == 0:
            ms = 1000 * (time.time() - tic) / 20
            print(f"ep {ep} chunk {k:3d}  bpc {tot / 20 / 0.6931:.3f}  {ms:.1f} ms/chunk")
            tic, tot = time.time(), 0.0
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"ep {ep} done       val bpc {val_bpc(model):.3f}  peak rss {rss:.0f} MB")

h, idx, out = torch.zeros(1, H), torch.tensor([[stoi["t"]]]), "t"
with torch.no_grad():
    for _ in range(120):
        z, h = model(idx, h)
        idx = torch.multinomial(z[:, -1].softmax(-1), 1)
        out += chars[idx.item()]
print(out)
