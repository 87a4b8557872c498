import random
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader

random.seed(6)
torch.manual_seed(6)
GOOD = "Superb Charming Brilliant Delightful Fresh".split()
BAD = "Dull Clumsy Tedious Bland Awful".split()
NEUTRAL = "Film Actor Scene Music Plot Camera Ending Script Story Cast".split()


def review():
    label = random.randint(0, 1)
    words = random.choices(NEUTRAL, k=7) + random.choices(GOOD if label else BAD, k=2)
    words += random.choices(BAD if label else GOOD, k=1)
    random.shuffle(words)
    return " ".join(words), label


corpus = [review() for _ in range(2600)]
train, dev = corpus[:2200], corpus[2200:]


def tokenize(s, lower=False):
    return (s.lower() if lower else s).split()


counts = Counter(w for s, _ in train for w in tokenize(s, lower=True))
vocab = {"<pad>": 0, "<unk>": 1}
for w, c in counts.most_common():
    if c >= 5:
        vocab[w] = len(vocab)
print(f"vocabulary of {len(vocab)} words")


def collate(rows):
    seqs = [torch.tensor([vocab.get(w, vocab["<unk>"]) for w in tokenize(s)]) for s, _ in rows]
    x = nn.utils.rnn.pad_sequence(seqs, batch_first=True, padding_value=vocab["<pad>"])
    return x, torch.tensor([y for _, y in rows])


class Classifier(nn.Module):
    def __init__(self, v, d=24):
        super().__init__()
        self.emb = nn.Embedding(v, d, padding_idx=0)
        self.ff = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))

    def forward(self, x):
        mask = (x != 0).unsqueeze(-1).float()
        return self.ff((self.emb(x) * mask).sum(1) / mask.sum(1))


model = Classifier(len(vocab))
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(6):
    model.train()
    tot = 0.0
    for x, y in DataLoader(train, batch_size=50, shuffle=True, collate_fn=collate):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        ok = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(dev, 100, collate_fn=collate))
    print(f"epoch {epoch} loss {tot / 44:.4f} dev accuracy {ok / len(dev):.3f}")
