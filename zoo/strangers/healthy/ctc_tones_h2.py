"""Tone-sequence recogniser: filter-bank-like frames -> GRU -> CTC.  Lengths vary, nothing is aligned."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

BLANK, SYMBOLS, BANDS = 0, 6, 16
ALPHABET = "_abcdef"


class Tones(Dataset):
    """Each symbol is a bump at its own band, held for 3 to 7 frames, faint noise and short pauses between."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        ri = lambda lo, hi: int(torch.randint(lo, hi + 1, (), generator=g))
        band = torch.arange(BANDS).float()
        self.items = []
        for _ in range(n):
            word = torch.randint(1, SYMBOLS + 1, (ri(3, 7),), generator=g)
            frames = []
            for s in word.tolist():
                bump = torch.exp(-0.5 * ((band - (2.2 * s + 0.3 * torch.randn((), generator=g))) / 0.9) ** 2)
                frames += [bump * 2.0] * ri(3, 6) + [torch.zeros(BANDS)] * ri(1, 2)
            spec = torch.stack(frames)
            self.items.append((spec + 0.45 * torch.randn(spec.shape, generator=g), word))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class Collate:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, batch):
        xs, ys = zip(*batch)
        x = pad_sequence([(x - self.mean) / self.std for x in xs], batch_first=True)
        return x, torch.tensor([len(x) for x in xs]), torch.cat(ys), torch.tensor([len(y) for y in ys])


class Recogniser(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.front = nn.Sequential(nn.Linear(BANDS, 32), nn.GELU())
        self.rnn = nn.GRU(32, hidden, batch_first=True, bidirectional=True)  # offline task: the future may be used
        self.head = nn.Linear(2 * hidden, SYMBOLS + 1)

    def forward(self, x, n):
        h = pack_padded_sequence(self.front(x), n, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(h)[0], batch_first=True)
        return self.head(h).log_softmax(-1).transpose(0, 1)     # (time, batch, symbol), as CTCLoss wants it


def greedy(logp, n):
    best = logp.argmax(-1).T
    return [[k for k in torch.unique_consecutive(row[:m]).tolist() if k != BLANK] for row, m in zip(best, n.tolist())]


def edits(a, b):
    d = list(range(len(b) + 1))
    for i, p in enumerate(a, 1):
        prev, d[0] = d[0], i
        for j, q in enumerate(b, 1):
            prev, d[j] = d[j], min(d[j] + 1, d[j - 1] + 1, prev + (p != q))
    return d[-1]


class Trainer:
    def __init__(self, epochs=14, lr=3e-3, seed=8):
        torch.manual_seed(seed)
        train, val, self.test = Tones(1500, 1), Tones(300, 2), Tones(300, 3)
        frames = torch.cat([x for x, _ in train])
        self.collate = Collate(frames.mean(0), frames.std(0))
        self.train_dl = DataLoader(train, 32, shuffle=True, collate_fn=self.collate, drop_last=False)
        self.val_dl = self.loader(val)
        self.model, self.epochs = Recogniser(), epochs
        self.ctc = nn.CTCLoss(blank=BLANK)      # mean: each word's loss is divided by its length
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, lr, epochs=epochs, steps_per_epoch=len(self.train_dl))

    def loader(self, ds):
        return DataLoader(ds, 100, collate_fn=self.collate)

    @torch.no_grad()
    def evaluate(self, dl):
        self.model.eval()
        loss = wrong = letters = words = 0
        example = None
        for x, nx, y, ny in dl:
            logp = self.model(x, nx)
            loss += self.ctc(logp, y, nx, ny).item() * len(nx)
            words += len(nx)
            for hyp, ref in zip(greedy(logp, nx), y.split(ny.tolist())):
                wrong += edits(hyp, ref.tolist())
                letters += len(ref)
                example = ("".join(ALPHABET[k] for k in hyp), "".join(ALPHABET[k] for k in ref.tolist()))
        return loss / words, wrong / letters, example

    def fit(self):
        for epoch in range(1, self.epochs + 1):
            self.model.train()
            total = seen = 0
            for x, nx, y, ny in self.train_dl:
                loss = self.ctc(self.model(x, nx), y, nx, ny)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.sched.step()
                total, seen = total + loss.item() * len(nx), seen + len(nx)
            vl, cer, (hyp, ref) = self.evaluate(self.val_dl)
            print(f"epoch {epoch:2d}  loss {total / seen:.4f}  val loss {vl:.4f}  CER {cer:.3f}   {ref} heard as '{hyp}'")
        vl, cer, _ = self.evaluate(self.loader(self.test))
        print(f"test loss {vl:.4f}, character error rate {cer:.4f}")


if __name__ == "__main__":
    Trainer().fit()
