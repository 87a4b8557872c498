# Short product reviews -> thumbs down / up with 🤗 accelerate.
# Effective batch = 2 x 16.
import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torch.nn.utils.rnn import pad_sequence

POS = "good great lovely sturdy quick neat".split()
NEG = "bad awful flimsy slow noisy broken".split()
FILL = "the a it box price screen battery it was is and really today my shop ordered again".split()
NEGATE = ["not", "never", "hardly"]
WORDS = ["<pad>"] + sorted(set(POS + NEG + FILL + NEGATE))
INDEX = {w: i for i, w in enumerate(WORDS)}


def write_review(rng):
    score, words = 0, []
    for _ in range(rng.choice([1, 3, 5])):
        words += list(rng.choice(FILL, rng.integers(1, 3)))
        polarity = rng.choice([-1, 1])
        if rng.random() < 0.25:
            words.append(rng.choice(NEGATE))
            score -= polarity
        else:
            score += polarity
        words.append(rng.choice(POS if polarity > 0 else NEG))
    if rng.random() < 0.05:          # some customers click the wrong thumb
        label = int(rng.integers(0, 2))
    else:
        label = int(score > 0)
    return [INDEX[w] for w in words], label


class Reviews(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        tokens, label = self.rows[i]
        return torch.tensor(tokens), label


def collate(batch):
    seqs, labels = zip(*batch)
    return pad_sequence(seqs, batch_first=True, padding_value=0), torch.tensor(labels)


class Encoder(nn.Module):
    """Local context by convolution, then attention pooling over the real tokens."""

    def __init__(self, vocab, d=48, n_out=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, d, padding_idx=0)
        self.conv = nn.Conv1d(d, d, 3, padding=1)
        self.norm = nn.LayerNorm(d)
        self.drop = nn.Dropout(0.1)
        self.gate = nn.Linear(d, 1)
        self.cls = nn.Linear(d, n_out)

    def forward(self, ids):
        pad = ids == 0
        h = self.tok(ids)
        h = self.norm(h + torch.relu(self.conv(h.transpose(1, 2))).transpose(1, 2))
        h = self.drop(h)
        score = self.gate(h).squeeze(-1).masked_fill(pad, float("-inf"))
        return self.cls((score.softmax(1).unsqueeze(-1) * h).sum(1))


def main():
    set_seed(17)
    acc = Accelerator(cpu=True, gradient_accumulation_steps=2)
    rng = np.random.default_rng(17)
    rows, seen = [], set()
    while len(rows) < 5000:
        tokens, label = write_review(rng)
        if tuple(tokens) not in seen:
            seen.add(tuple(tokens))
            rows.append((tokens, label))
    train, val = Reviews(rows[:4096]), Reviews(rows[4096:])

    train_dl = DataLoader(train, batch_size=16, shuffle=True, collate_fn=collate)
    val_dl = DataLoader(val, batch_size=128, collate_fn=collate)
    model = Encoder(len(WORDS))
    optim = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    epochs = 3
    updates = epochs * len(train_dl) // acc.gradient_accumulation_steps
    sched = torch.optim.lr_scheduler.LambdaLR(optim, lambda u: min((u + 1) / 20, max(0.0, 1 - u / updates)))
    model, optim, train_dl, val_dl, sched = acc.prepare(model, optim, train_dl, val_dl, sched)
    loss_fn = nn.CrossEntropyLoss()

    for ep in range(epochs):
        model.train()
        seen_loss = torch.zeros(())
        for ids, labels in train_dl:
            with acc.accumulate(model):
                loss = loss_fn(model(ids), labels)
                acc.backward(loss)
                if acc.sync_gradients:
                    acc.clip_grad_norm_(model.parameters(), 1.0)
                optim.step()
                sched.step()
                optim.zero_grad()
            seen_loss += loss.detach()
        model.eval()
        right = total = 0
        for ids, labels in val_dl:
            with torch.inference_mode():
                guess = model(ids).argmax(-1)
            guess, labels = acc.gather_for_metrics((guess, labels))
            right += (guess == labels).sum().item()
            total += len(labels)
        acc.print(f"{ep}\t{seen_loss.item() / len(train_dl):.4f}\t{right / total:.4f}")

    counts = np.bincount([l for _, l in train.rows])
    naive = np.mean([l == counts.argmax() for _, l in val.rows])
    acc.print(f"accuracy {right / total:.4f} vs most frequent thumb {naive:.4f}")


if __name__ == "__main__":
    main()
