import random
from collections import Counter

import torch
import torch.nn as nn

random.seed(8); torch.manual_seed(8)

# ------------------------------------------------------------------ corpus
FIRST = "anna bob carl dina eli fay gus hana ivo jill kurt lea".split()
LAST = "stone miller lake hill field wood banks rivers marsh dale".split()
STREET = "lake hill mill stone river dale park wood king marsh".split()
KIND = "street road lane avenue way".split()
TOWN = "stone dale lake banks fordham wells marsh hill oakby".split()
FILL = "please deliver to the parcel for at near via ask call before noon urgent".split()
TAGS = ["O", "B-PER", "I-PER", "B-STR", "I-STR", "B-TOWN"]
TID = {t: i for i, t in enumerate(TAGS)}


def misspell(w):
    i = random.randrange(len(w))
    return w[:i] + random.choice("aeioutrns") + w[i + 1:]


def sentence():
    toks, tags = [], []

    def put(ws, ts):
        toks.extend(ws); tags.extend(ts)

    def filler(a, b):
        k = random.randint(a, b)
        put(random.choices(FILL, k=k), ["O"] * k)
    filler(0, 3)
    if random.random() < .8:
        put([random.choice(FIRST), random.choice(LAST)], ["B-PER", "I-PER"])
        filler(0, 2)
    num = str(random.randint(1, 9))
    if random.random() < .5:
        put([num, random.choice(STREET), random.choice(KIND)], ["B-STR", "I-STR", "I-STR"])
    else:
        put([random.choice(STREET), random.choice(KIND), num], ["B-STR", "I-STR", "I-STR"])
    if random.random() < .7:
        put([random.choice(TOWN)], ["B-TOWN"])
    filler(0, 3)
    toks = [misspell(w) if random.random() < .12 else w for w in toks]
    return toks, tags


def unique_corpus(n):
    seen, out = set(), []
    while len(out) < n:
        s = sentence()
        if tuple(s[0]) not in seen:
            seen.add(tuple(s[0])); out.append(s)
    return out


corpus = unique_corpus(1500)
train, dev, test = corpus[:1000], corpus[1000:1200], corpus[1200:]
vocab = {"<pad>": 0, "<unk>": 1}
for w, n in Counter(w for toks, _ in train for w in toks).items():
    if n >= 4:
        vocab[w] = len(vocab)


def collate(batch):
    L = max(len(t) for t, _ in batch)
    x = torch.zeros(len(batch), L, dtype=torch.long)
    y = torch.zeros(len(batch), L, dtype=torch.long)
    m = torch.zeros(len(batch), L, dtype=torch.bool)
    for i, (t, g) in enumerate(batch):
        n = len(t)
        x[i, :n] = torch.tensor([vocab.get(w, 1) for w in t])
        y[i, :n] = torch.tensor([TID[k] for k in g])
        m[i, :n] = True
    return x, y, m


# ------------------------------------------------------------------ model
class LinearChain(nn.Module):
    def __init__(self, V, K, d=32, h=32):
        super().__init__()
        self.emb = nn.Embedding(V, d, padding_idx=0)
        self.drop = nn.Dropout(0.2)
        self.conv = nn.Conv1d(d, h, 3, padding=1)
        self.out = nn.Linear(h, K)
        self.trans = nn.Parameter(torch.zeros(K, K))   # [from, to]
        self.start = nn.Parameter(torch.zeros(K))
        self.end = nn.Parameter(torch.zeros(K))

    def emissions(self, x):
        e = self.drop(self.emb(x)).transpose(1, 2)
        return self.out(self.drop(self.conv(e).relu().transpose(1, 2)))

    def nll(self, x, y, m):
        e = self.emissions(x)
        B, L, K = e.shape
        mf = m.float()
        gold = self.start[y[:, 0]] + (e.gather(2, y[..., None]).squeeze(2) * mf).sum(1)
        gold = gold + (self.trans[y[:, :-1], y[:, 1:]] * mf[:, 1:]).sum(1)
        last = y.gather(1, (m.sum(1) - 1)[:, None]).squeeze(1)
        gold = gold + self.end[last]
        alpha = self.start + e[:, 0]
        for t in range(1, L):
            nxt = torch.logsumexp(alpha[:, :, None] + self.trans[None], 1) + e[:, t]
            alpha = torch.where(m[:, t, None], nxt, alpha)
        return (torch.logsumexp(alpha + self.end, 1) - gold).sum()

    @torch.no_grad()
    def viterbi(self, x, m):
        e = self.emissions(x)
        paths = []
        for i in range(len(x)):
            n = int(m[i].sum())
            s, back = self.start + e[i, 0], []
            for t in range(1, n):
                s, arg = (s[:, None] + self.trans).max(0)
                s = s + e[i, t]
                back.append(arg)
            k = int((s + self.end).argmax())
            path = [k]
            for arg in reversed(back):
                path.append(k := int(arg[k]))
            paths.append(path[::-1])
        return paths


def spans(tags):
    out, cur = set(), None
    for i, t in enumerate(list(tags) + ["O"]):
        if cur and not (t.startswith("I-") and t[2:] == cur[1]):
            out.add((cur[0], i, cur[1])); cur = None
        if t.startswith("B-"):
            cur = (i, t[2:])
    return out


def f1(model, data):
    model.eval()
    tp = fp = fn = 0
    for i in range(0, len(data), 100):
        chunk = data[i:i + 100]
        x, _, m = collate(chunk)
        for path, (_, gold) in zip(model.viterbi(x, m), chunk):
            p, g = spans([TAGS[k] for k in path]), spans(gold)
            tp += len(p & g); fp += len(p - g); fn += len(g - p)
    return 2 * tp / max(1, 2 * tp + fp + fn)


model = LinearChain(len(vocab), len(TAGS))
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
top, snap = -1, None
for ep in range(1, 13):
    model.train()
    random.shuffle(train)
    tot = ntok = 0
    for i in range(0, len(train), 32):
        x, y, m = collate(train[i:i + 32])
        loss = model.nll(x, y, m) / m.sum()
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.)
        opt.step()
        tot += loss.item() * m.sum().item(); ntok += m.sum().item()
    d = f1(model, dev)
    print(f"pass {ep}: nll/token {tot/ntok:.4f}, dev span-F1 {d:.4f}")
    if d > top:
        top, snap = d, {k: v.clone() for k, v in model.state_dict().items()}
model.load_state_dict(snap)
print("held-out span F1: %.4f" % f1(model, test))
print("strongest transitions:", sorted(((round(model.trans[i, j].item(), 2), TAGS[i] + '>' + TAGS[j])
                                        for i in range(6) for j in range(6)), reverse=True)[:4])
