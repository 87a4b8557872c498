import random
import re
from collections import Counter

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

TOPICS = {
    "billing": ["invoice", "refund", "charge", "payment", "card", "receipt", "vat", "subscription"],
    "network": ["router", "wifi", "vpn", "latency", "outage", "firewall", "dns", "packet"],
    "account": ["password", "login", "username", "locked", "mfa", "profile", "email", "signup"],
    "hardware": ["laptop", "screen", "keyboard", "battery", "dock", "printer", "fan", "charger"],
    "delivery": ["parcel", "courier", "address", "tracking", "shipment", "late", "depot", "doorstep"],
}
FILLER = ("please help with the my it is not since yesterday and still we have tried again today before "
          "could you check this for our team thanks").split()
LABELS = sorted(TOPICS)


def write_ticket(rng):
    label = rng.choice(LABELS)
    words = rng.choices(FILLER, k=rng.randint(6, 14))
    words += rng.choices(TOPICS[label], k=rng.randint(2, 3))
    other = rng.choice(LABELS)
    if rng.random() < 0.5:
        words.append(rng.choice(TOPICS[other]))
    rng.shuffle(words)
    styled = []
    for w in words:
        r = rng.random()
        if r < 0.3:
            w = w.capitalize()
        elif r < 0.5:
            w = w.upper()
        if rng.random() < 0.25:
            w += rng.choice([",", ".", "!", "?"])
        styled.append(w)
    return " ".join(styled), LABELS.index(label)


def tokenize(text):
    return re.findall(r"[a-z]+", text.lower())


class Vocab:
    PAD, UNK = 0, 1

    def __init__(self, token_lists, min_count=2):
        counts = Counter(t for tokens in token_lists for t in tokens)
        kept = sorted(t for t, c in counts.items() if c >= min_count)
        self.index = {t: i + 2 for i, t in enumerate(kept)}

    def __len__(self):
        return len(self.index) + 2

    def encode(self, tokens):
        return [self.index.get(t, self.UNK) for t in tokens]


class TicketDataset(Dataset):
    def __init__(self, tickets, vocab):
        self.items = [(vocab.encode(tokenize(text)), label) for text, label in tickets]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def pad_batch(items):
    ids = nn.utils.rnn.pad_sequence([torch.tensor(x) for x, _ in items], batch_first=True, padding_value=Vocab.PAD)
    return ids, torch.tensor([y for _, y in items])


class Router(nn.Module):
    def __init__(self, vocab_size, n_labels, dim=48):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, padding_idx=Vocab.PAD)
        self.conv = nn.Conv1d(dim, 64, kernel_size=3, padding=1)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(64, n_labels)

    def forward(self, ids):
        mask = (ids != Vocab.PAD).unsqueeze(1)
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2)))
        h = h.masked_fill(~mask, float("-inf")).amax(dim=2)
        return self.out(self.drop(h))


class Predictor:
    """What the ticket desk calls: raw strings in, topic ids out."""

    def __init__(self, model, vocab):
        self.model, self.vocab = model, vocab

    @torch.no_grad()
    def __call__(self, texts, chunk=200):
        self.model.eval()
        out = []
        for i in range(0, len(texts), chunk):
            items = [(self.vocab.encode(t.split()), 0) for t in texts[i:i + chunk]]
            ids, _ = pad_batch(items)
            out += self.model(ids).argmax(dim=1).tolist()
        return out


def accuracy(predictor, tickets):
    texts, truth = zip(*tickets)
    guesses = predictor(list(texts))
    return sum(g == t for g, t in zip(guesses, truth)) / len(truth)


def main():
    rng = random.Random(4)
    torch.manual_seed(4)
    train = [write_ticket(rng) for _ in range(3000)]
    valid = [write_ticket(rng) for _ in range(600)]
    test = [write_ticket(rng) for _ in range(600)]

    vocab = Vocab([tokenize(text) for text, _ in train])
    loader = DataLoader(TicketDataset(train, vocab), batch_size=32, shuffle=True, collate_fn=pad_batch)
    model = Router(len(vocab), len(LABELS))
    predictor = Predictor(model, vocab)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    print(f"vocabulary {len(vocab)}, {len(train)} training tickets")

    for epoch in range(1, 9):
        model.train()
        loss_sum, hits, n = 0.0, 0, 0
        for ids, y in loader:
            logits = model(ids)
            loss = nn.functional.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss_sum += loss.item() * len(y)
            hits += (logits.argmax(1) == y).sum().item()
            n += len(y)
        print(f"epoch {epoch}: loss {loss_sum / n:.3f}  train acc {hits / n:.3f}  valid acc {accuracy(predictor, valid):.3f}")

    print(f"test accuracy {accuracy(predictor, test):.3f}")


if __name__ == "__main__":
    main()
