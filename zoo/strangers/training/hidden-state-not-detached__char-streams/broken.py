# char-rnn, reading one long text left to right in parallel streams; hand-made SGD as in the classic tutorial
import time
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1234)

subjects = ["the cat", "a dog", "my sister", "the old man", "our teacher"]
verbs = ["sees", "likes", "paints", "follows", "remembers"]
objects = ["the river", "a red house", "the moon", "an apple", "the long road"]
gen = torch.Generator().manual_seed(99)


def pick(words):
    return words[int(torch.randint(len(words), (1,), generator=gen))]


def write_text(n_sentences):
    return "".join(f"{pick(subjects)} {pick(verbs)} {pick(objects)}. " for _ in range(n_sentences))


train_text, valid_text = write_text(700), write_text(60)
vocab = sorted(set(train_text))
stoi = {c: i for i, c in enumerate(vocab)}


def encode(text, n_streams):
    ids = torch.tensor([stoi[c] for c in text])
    usable = len(ids) // n_streams * n_streams
    return ids[:usable].view(n_streams, -1)


STREAMS, WINDOW, EPOCHS, LR, CLIP = 56, 10, 10, 1.5, 1.0
train_ids, valid_ids = encode(train_text, STREAMS), encode(valid_text, 4)


class CharRNN(nn.Module):
    def __init__(self, n_chars, size=48):
        super().__init__()
        self.size = size
        self.embed = nn.Embedding(n_chars, 16)
        self.rnn = nn.GRU(16, size, batch_first=True)
        self.decode = nn.Linear(size, n_chars)

    def forward(self, ids, hidden):
        out, hidden = self.rnn(self.embed(ids), hidden)
        return self.decode(out), hidden

    def blank(self, n):
        return torch.zeros(1, n, self.size)


def windows(ids):
    for s in range(0, ids.size(1) - 1, WINDOW):
        e = min(s + WINDOW, ids.size(1) - 1)
        yield ids[:, s:e], ids[:, s + 1:e + 1]


def xent(logits, targets):
    return F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))


@torch.no_grad()
def validate(model):
    model.eval()
    hidden = model.blank(valid_ids.size(0))
    total = count = 0
    for x, y in windows(valid_ids):
        logits, hidden = model(x, hidden)
        total += xent(logits, y).item() * y.numel()
        count += y.numel()
    return total / count


model = CharRNN(len(vocab))
for epoch in range(1, EPOCHS + 1):
    model.train()
    tic = time.perf_counter()
    hidden = model.blank(STREAMS)
    total = count = 0
    lr = LR * (1.0 if epoch <= 7 else 0.3)
    for x, y in windows(train_ids):
        logits, hidden = model(x, hidden)
        loss = xent(logits, y)
        model.zero_grad()
        loss.backward(retain_graph=True)
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
        total += loss.item() * y.numel()
        count += y.numel()
    print(f"epoch {epoch:2d} train {total / count:.3f} valid {validate(model):.3f} ({time.perf_counter() - tic:.1f}s)")
