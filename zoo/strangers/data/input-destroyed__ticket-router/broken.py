"""Route incoming support e-mails to one of five queues (bag-of-embeddings + conv)."""
import random
import re
from collections import Counter

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

QUEUES = {
    "billing": "invoice charged refund payment twice amount card receipt overpaid".split(),
    "login": "password locked reset signin account otp username forgot session".split(),
    "shipping": "parcel courier delivery tracking late address warehouse lost package".split(),
    "bug": "crash error screen freezes version update broken button stacktrace".split(),
    "sales": "quote pricing licence upgrade seats discount demo plan enterprise".split(),
}
COMMON = "the a my i we it is was on in for and with since please when after yesterday today still not again have".split()
CITIES = "berlin lyon porto oslo turin ghent graz leeds basel malmo".split()
NAMES = "anna jonas mia paul lea felix nora tim ida max".split()


def header(rng):
    return (f"received from mail{rng.randint(1, 9)} {rng.choice(CITIES)} by gateway id {rng.randint(100, 999)} "
            f"spam score {rng.randint(0, 5)} virus scan passed external sender caution do not click links "
            f"from {rng.choice(NAMES)} to support desk priority normal reply expected")


def write_email(rng):
    queue = rng.randrange(len(QUEUES))
    keywords = list(QUEUES.values())[queue]
    body = rng.choices(COMMON, k=rng.randint(10, 16)) + rng.sample(keywords, 2)
    if rng.random() < 0.3:
        body.append(rng.choice(rng.choice(list(QUEUES.values()))))
    rng.shuffle(body)
    return f"{header(rng)} hello {' '.join(body)}", queue


class Vocab:
    def __init__(self, texts, min_freq=2):
        counts = Counter(t for text in texts for t in self.split(text))
        self.itos = ["<pad>", "<unk>"] + sorted(t for t, c in counts.items() if c >= min_freq)
        self.stoi = {t: i for i, t in enumerate(self.itos)}

    @staticmethod
    def split(text):
        return re.findall(r"[a-z]+|\d+", text.lower())

    def encode(self, text, max_len):
        tokens = self.split(text)[:max_len]
        return [self.stoi.get(t, 1) for t in tokens]


class TicketDataset(Dataset):
    def __init__(self, rows, vocab, max_len=24):
        self.items = [(torch.tensor(vocab.encode(text, max_len)), q) for text, q in rows]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def pad_batch(batch):
    ids = nn.utils.rnn.pad_sequence([b[0] for b in batch], batch_first=True)
    return ids, torch.tensor([b[1] for b in batch])


class Router(nn.Module):
    def __init__(self, vocab_size, n_out, dim=32):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, 48, 3, padding=1)
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(48, n_out)

    def forward(self, ids):
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2)))
        h = h.masked_fill((ids == 0).unsqueeze(1), 0.0)
        return self.fc(self.drop(h.amax(-1)))


def accuracy(model, loader):
    model.eval()
    good = total = 0
    with torch.inference_mode():
        for ids, q in loader:
            good += int((model(ids).argmax(-1) == q).sum())
            total += len(q)
    return good / total


def main():
    torch.manual_seed(0)
    rng = random.Random(0)
    rows = [write_email(rng) for _ in range(2400)]
    train_rows, test_rows = rows[:1900], rows[1900:]
    vocab = Vocab(text for text, _ in train_rows)
    print("vocab size", len(vocab.itos))
    print("example:", train_rows[0][0][-60:], "->", list(QUEUES)[train_rows[0][1]])

    train_dl = DataLoader(TicketDataset(train_rows, vocab), 32, shuffle=True, collate_fn=pad_batch)
    test_dl = DataLoader(TicketDataset(test_rows, vocab), 256, collate_fn=pad_batch)
    model = Router(len(vocab.itos), len(QUEUES))
    opt = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-5)
    ce = nn.CrossEntropyLoss()
    for epoch in range(8):
        model.train()
        loss_sum = 0.0
        for ids, q in train_dl:
            opt.zero_grad()
            loss = ce(model(ids), q)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            loss_sum += loss.item() * len(q)
        print(f"epoch {epoch}: loss {loss_sum / len(train_rows):.3f}")
    print(f"test accuracy {accuracy(model, test_dl):.3f}")


if __name__ == "__main__":
    main()
