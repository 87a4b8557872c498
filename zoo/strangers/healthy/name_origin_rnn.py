"""Which invented language does a word come from? Variable lengths, packed sequences, early stopping."""
import copy
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

random.seed(8)
torch.manual_seed(8)

LANGS = {
    "voric": ("kr v dr zg r k".split(), "o a u".split(), "k rn g x".split()),
    "liaen": ("l n s f el m".split(), "ia ae i e".split(), "n l s".split()),
    "tamoko": ("t m k p n h".split(), "o a u i".split(), [""]),
    "shezan": ("sh z ch j y r".split(), "e a i".split(), "n z sh".split()),
}
NAMES = list(LANGS)
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
STOI = {c: i + 1 for i, c in enumerate(ALPHABET)}      # 0 is padding


def word(lang):
    on, nu, co = LANGS[lang]
    out = ""
    for _ in range(random.randint(1, 3)):
        out += random.choice(on) + random.choice(nu)
    out += random.choice(co)
    # spelling accidents
    return "".join(random.choice(ALPHABET) if random.random() < 0.12 else c for c in out)


def corpus(per_language):
    seen, rows = set(), []
    for label, lang in enumerate(NAMES):
        n = 0
        while n < per_language:
            w = word(lang)
            if w in seen:
                continue
            seen.add(w)
            rows.append((w, label))
            n += 1
    random.shuffle(rows)
    return rows


def collate(rows):
    ids = [torch.tensor([STOI[c] for c in w]) for w, _ in rows]
    lengths = torch.tensor([len(s) for s in ids])
    return pad_sequence(ids, batch_first=True), lengths, torch.tensor([y for _, y in rows])


class Guess(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(ALPHABET) + 1, 12, padding_idx=0)
        self.rnn = nn.LSTM(12, 24, batch_first=True)
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(24, len(NAMES))

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.rnn(packed)
        return self.fc(self.drop(h[-1]))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss = hits = n = 0
    for x, lengths, y in loader:
        logits = model(x, lengths)
        loss += nn.functional.cross_entropy(logits, y, reduction="sum").item()
        hits += (logits.argmax(1) == y).sum().item()
        n += len(y)
    return loss / n, hits / n


rows = corpus(1200)
train, valid, test = rows[:3400], rows[3400:4100], rows[4100:]
train_dl = DataLoader(train, 64, shuffle=True, collate_fn=collate)
valid_dl = DataLoader(valid, 256, collate_fn=collate)
test_dl = DataLoader(test, 256, collate_fn=collate)

model = Guess()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=0)
best, best_state, bad = float("inf"), None, 0
for epoch in range(1, 21):
    model.train()
    running = n = 0
    for x, lengths, y in train_dl:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x, lengths), y)
        loss.backward()
        opt.step()
        running += loss.item() * len(y)
        n += len(y)
    val_loss, val_acc = evaluate(model, valid_dl)
    plateau.step(val_loss)
    print(f"{epoch:2d} train {running / n:.3f} valid {val_loss:.3f} acc {val_acc:.3f}")
    if val_loss < best:
        best, best_state, bad = val_loss, copy.deepcopy(model.state_dict()), 0
    else:
        bad += 1
        if bad == 3:
            print("no improvement, stopping")
            break

model.load_state_dict(best_state)
print("test loss %.3f accuracy %.3f" % evaluate(model, test_dl))
