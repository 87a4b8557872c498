# character LM, GRU, truncated backprop through time with carried state
import random, math, time
import torch, torch.nn as nn

random.seed(42); torch.manual_seed(42)

SUBJ = "the cat,a dog,my uncle,the old sailor,her sister,the engineer,a stranger,our teacher,two children,the baker,his rival,every clerk".split(",")
VERB = "sees,follows,paints,forgets,carries,repairs,borrows,describes,hides,buys,notices,cleans".split(",")
OBJ = "the boat,a lantern,the green door,an apple,the radio,a long letter,the clock,three keys,some bread,a wooden chair,the map,old coins".split(",")
PLACE = "in the garden,near the river,at night,before lunch,behind the school,on sundays".split(",")

def sentence(r):
    s = f"{r.choice(SUBJ)} {r.choice(VERB)} {r.choice(OBJ)}"
    if r.random() < 0.6: s += " " + r.choice(PLACE)
    if r.random() < 0.3: s += f" and {r.choice(VERB)} {r.choice(OBJ)}"
    return s + ". "

def corpus(seed, n, skip=()):
    r, out = random.Random(seed), []
    while len(out) < n:
        s = sentence(r)
        if s not in skip: out.append(s)
    return out

train_sents = corpus(1, 4000)
valid_sents = corpus(2, 500, skip=set(train_sents))
train_txt, valid_txt = "".join(train_sents), "".join(valid_sents)
chars = sorted(set(train_txt)); stoi = {c: i for i, c in enumerate(chars)}; V = len(chars)
enc = lambda t: torch.tensor([stoi[c] for c in t])
print(f"{len(train_txt)} train chars, {len(valid_txt)} valid chars, vocab {V}")

def streams(ids, n):
    L = (len(ids) - 1) // n
    return ids[: n * L].view(n, L), ids[1 : n * L + 1].view(n, L)

LANES, BPTT, HID = 32, 50, 128
Xtr, Ytr = streams(enc(train_txt), LANES)
Xva, Yva = streams(enc(valid_txt), 8)

class CharGRU(nn.Module):
    def __init__(s):
        super().__init__()
        s.emb = nn.Embedding(V, 32); s.rnn = nn.GRU(32, HID, batch_first=True); s.drop = nn.Dropout(0.1); s.fc = nn.Linear(HID, V)
    def forward(s, x, h=None):
        o, h = s.rnn(s.emb(x), h)
        return s.fc(s.drop(o)), h

net = CharGRU()
ce = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
sch = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=0, threshold=2e-3)

@torch.no_grad()
def bpc():
    net.eval(); h = None; tot = 0.; n = 0
    for j in range(0, Xva.size(1), BPTT):
        x, y = Xva[:, j:j+BPTT], Yva[:, j:j+BPTT]
        lo, h = net(x, h)
        tot += ce(lo.reshape(-1, V), y.reshape(-1)).item() * y.numel(); n += y.numel()
    net.train()
    return tot / n / math.log(2)

@torch.no_grad()
def babble(prompt="the ", n=120, temp=0.7):
    net.eval(); h = None; x = enc(prompt)[None]; out = prompt
    for _ in range(n):
        lo, h = net(x, h)
        x = torch.multinomial((lo[:, -1] / temp).softmax(-1), 1); out += chars[x.item()]
    net.train()
    return out

t = time.time()
for ep in range(5):
    h, tot, cnt = None, 0., 0
    for j in range(0, Xtr.size(1), BPTT):
        x, y = Xtr[:, j:j+BPTT], Ytr[:, j:j+BPTT]
        if h is not None: h = h.detach()
        lo, h = net(x, h)
        loss = ce(lo.reshape(-1, V), y.reshape(-1))
        opt.zero_grad(); loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        tot += loss.item() * y.numel(); cnt += y.numel()
    v = bpc(); sch.step(v)
    print(f"epoch {ep}: train {tot/cnt/math.log(2):.3f} bpc, valid {v:.3f} bpc, lr {opt.param_groups[0]['lr']:.1e} ({time.time()-t:.0f}s)")

bits = [math.log2(len(SUBJ)), math.log2(len(VERB)), math.log2(len(OBJ))]
H = sum(bits) + .6 * math.log2(len(PLACE)) - .6*math.log2(.6) - .4*math.log2(.4) - .3*math.log2(.3) - .7*math.log2(.7) + .3 * (bits[1] + bits[2])
print(f"source entropy about {H / (len(train_txt) / len(train_sents)):.3f} bpc")
print("sample:", babble())
