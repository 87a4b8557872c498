"""Fill-in-the-blank model over a toy grammar: bidirectional GRU, variable lengths, loss only on the blanks."""
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, BLANK = 0, 1
OPEN, CLOSE = list(range(2, 8)), list(range(8, 14))
N_TOKENS = 14
IGNORE = -100


def bracket_word(rnd, budget):
    """Balanced brackets of six kinds, e.g. ( [ ] ) { }"""
    out, stack = [], []
    while len(out) + len(stack) < budget:
        if stack and rnd.random() < 0.45:
            out.append(CLOSE[stack.pop()])
        else:
            kind = rnd.randrange(6)
            out.append(OPEN[kind])
            stack.append(kind)
    out.extend(CLOSE[k] for k in reversed(stack))
    return tuple(out)


def corpus(seed, want, avoid=frozenset()):
    rnd = random.Random(seed)
    found = set()
    while len(found) < want:
        word = bracket_word(rnd, rnd.randint(6, 16))
        if word not in avoid:
            found.add(word)
    return sorted(found)


def blank_out(words, rnd):
    """One closing bracket per word is hidden; its partner decides what it was."""
    inputs, targets = [], []
    for w in words:
        seq = torch.tensor(w)
        at = rnd.choice([i for i, t in enumerate(w) if t in CLOSE])
        goal = torch.full_like(seq, IGNORE)
        goal[at] = seq[at]
        seq = seq.clone()
        seq[at] = BLANK
        inputs.append(seq)
        targets.append(goal)
    lengths = torch.tensor([len(s) for s in inputs])
    return (pad_sequence(inputs, batch_first=True, padding_value=PAD),
            pad_sequence(targets, batch_first=True, padding_value=IGNORE), lengths)


class Filler(nn.Module):
    def __init__(self, dim=24, hidden=40):
        super().__init__()
        self.emb = nn.Embedding(N_TOKENS, dim, padding_idx=PAD)
        self.gru = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, N_TOKENS)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=tokens.size(1))
        return self.out(hidden)


def evaluate(model, batch):
    tokens, goal, lengths = batch
    model.eval()
    with torch.no_grad():
        guess = model(tokens, lengths).argmax(-1)
    spots = goal != IGNORE
    return (guess[spots] == goal[spots]).float().mean().item()


def run(epochs=14, batch_size=64):
    torch.manual_seed(77)
    rnd = random.Random(77)
    train = corpus(1, 2200)
    held_out = corpus(2, 800, avoid=frozenset(train))
    random.Random(3).shuffle(held_out)
    val = blank_out(held_out[:300], random.Random(4))
    test = blank_out(held_out[300:], random.Random(5))

    model = Filler()
    loss_fn = nn.CrossEntropyLoss(ignore_index=IGNORE)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    per_epoch = -(-len(train) // batch_size)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 8e-3, total_steps=epochs * per_epoch)
    for epoch in range(epochs):
        model.train()
        rnd.shuffle(train)
        total = 0.0
        for i in range(0, len(train), batch_size):
            words = train[i:i + batch_size]
            tokens, goal, lengths = blank_out(words, rnd)
            loss = loss_fn(model(tokens, lengths).flatten(0, 1), goal.flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            total += loss.item() * len(words)
        print(f"epoch {epoch:2d} loss {total / len(train):.3f} val blanks right {evaluate(model, val):.3f}")
    print(f"test blanks right {evaluate(model, test):.3f}")


if __name__ == "__main__":
    run()
