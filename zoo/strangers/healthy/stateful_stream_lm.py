"""Next-symbol model on one long event log, trained the classic way: the log is cut into parallel lanes and read
from left to right; the recurrent state travels from window to window and starts at zero once per pass."""
import math
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(21)

SYMBOLS = "abcdefgh()[]#"
INDEX = {s: i for i, s in enumerate(SYMBOLS)}


def write_log(n, seed):
    """Nested sessions: whatever opened last must close first; a '#' is followed by the session's own mark."""
    rnd = random.Random(seed)
    out, stack = [], []
    while len(out) < n:
        roll = rnd.random()
        if len(stack) < 2 and roll < 0.12 or not stack:
            kind = rnd.choice("([")
            mark = rnd.choice("abcdefgh")
            stack.append((kind, mark))
            out += [kind, mark]
        elif roll < 0.2:
            kind, _ = stack.pop()
            out.append(")" if kind == "(" else "]")
        elif roll < 0.6:
            out += ["#", stack[-1][1]]
        else:
            out.append(rnd.choice("abcd" if stack[-1][0] == "(" else "efgh"))
    return torch.tensor([INDEX[s] for s in out[:n]])


class Lanes(Dataset):
    """Item k is the k-th window of all lanes at once, so consecutive items continue each other."""

    def __init__(self, log, lanes, window):
        usable = (len(log) - 1) // (lanes * window) * lanes * window
        self.x = log[:usable].view(lanes, -1)
        self.y = log[1:usable + 1].view(lanes, -1)
        self.window = window

    def __len__(self):
        return self.x.shape[1] // self.window

    def __getitem__(self, k):
        cols = slice(k * self.window, (k + 1) * self.window)
        return self.x[:, cols], self.y[:, cols]


class EventModel(nn.Module):
    def __init__(self, n, dim=24, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(n, dim)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, n)

    def forward(self, x, state):
        h, state = self.lstm(self.embed(x), state)
        return self.out(h), state


def detach(state):
    return tuple(s.detach() for s in state)


@torch.no_grad()
def bits_per_symbol(model, loader):
    model.eval()
    state, nll, count, marks_right, marks = None, 0.0, 0, 0, 0
    for x, y in loader:
        logits, state = model(x, state)
        nll += nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="sum").item()
        count += y.numel()
        after_hash = x == INDEX["#"]
        marks_right += (logits.argmax(-1) == y)[after_hash].sum().item()
        marks += after_hash.sum().item()
    return nll / count / math.log(2), marks_right / marks


# The log is ordered in time: first part to learn from, then validation, then test.
log = write_log(72_000, seed=8)
train, valid, test = log[:56_000], log[56_000:64_000], log[64_000:]
train_loader = DataLoader(Lanes(train, 32, 25), batch_size=None, shuffle=False)
valid_loader = DataLoader(Lanes(valid, 8, 50), batch_size=None)
test_loader = DataLoader(Lanes(test, 8, 50), batch_size=None)

model = EventModel(len(SYMBOLS))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
PASSES = 12
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=PASSES, eta_min=2e-4)

for n_pass in range(PASSES):
    model.train()
    state, total = None, 0.0
    for x, y in train_loader:
        if state is not None:
            state = detach(state)
        logits, state = model(x, state)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        for p in model.parameters():
            p.grad = None
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        total += loss.item()
    scheduler.step()
    bits, marks = bits_per_symbol(model, valid_loader)
    print(f"pass {n_pass + 1:2d}  train {total / len(train_loader) / math.log(2):.3f} bits  "
          f"valid {bits:.3f} bits, session mark right {marks:.3f}")

counts = torch.bincount(train, minlength=len(SYMBOLS)).float()
unigram = -(counts / counts.sum()).clamp(min=1e-9).log2()[test].mean()
bits, marks = bits_per_symbol(model, test_loader)
print(f"test {bits:.3f} bits per symbol (unigram {unigram:.3f}), session mark right {marks:.3f}")
