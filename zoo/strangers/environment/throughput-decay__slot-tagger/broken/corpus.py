"""Templated voice-assistant commands with BIO slot tags."""
import random

import torch

PLACES = "paris oslo lima kyoto cairo quito delhi seoul boston naples porto tunis".split()
TWO_WORD = [("new", "york"), ("san", "diego"), ("cape", "town"), ("hong", "kong"), ("new", "delhi")]
HOURS = "one two three four five six seven eight nine ten".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday tomorrow tonight".split()
PEOPLE = "anna bruno chen dora emil fatima goran hana ivan june".split()
DISHES = "pizza ramen curry tapas sushi falafel dumplings pancakes".split()
FILLER = "please then maybe hey um okay so well".split()

TEMPLATES = [
    "book a table for {n} at {hour} in {place}",
    "find {dish} near {place} {day}",
    "call {person} {day} at {hour}",
    "remind {person} to order {dish} for {n}",
    "what is the weather in {place} {day}",
    "move my meeting with {person} from {hour} to {hour}",
    "fly from {place} to {place} {day}",
]
SLOTS = {"place": "LOC", "hour": "TIME", "day": "DAY", "person": "PER", "dish": "FOOD", "n": "NUM"}
TAGS = ["O"] + [f"{p}-{s}" for s in sorted(SLOTS.values()) for p in "BI"]
TAG_ID = {t: i for i, t in enumerate(TAGS)}
PAD_TAG = -100


def _fill(name, rng):
    if name == "place":
        return list(rng.choice(TWO_WORD)) if rng.random() < 0.3 else [rng.choice(PLACES)]
    if name in ("hour", "n"):
        return [rng.choice(HOURS)]
    return [rng.choice({"day": DAYS, "person": PEOPLE, "dish": DISHES}[name])]


def sentence(rng):
    words, tags = [], []
    for tok in rng.choice(TEMPLATES).split():
        if rng.random() < 0.12:
            words.append(rng.choice(FILLER))
            tags.append("O")
        if tok.startswith("{"):
            slot = tok[1:-1]
            fill = _fill(slot, rng)
            words += fill
            tags += [f"B-{SLOTS[slot]}"] + [f"I-{SLOTS[slot]}"] * (len(fill) - 1)
        else:
            words.append(tok)
            tags.append("O")
    # speech recogniser noise: a word is sometimes lost
    words = [w if rng.random() > 0.04 else "<unk>" for w in words]
    return words, tags


def build(n_train, n_dev, n_test, seed):
    rng = random.Random(seed)
    seen, pool = set(), []
    while len(pool) < n_train + n_dev + n_test:
        words, tags = sentence(rng)
        if tuple(words) not in seen:
            seen.add(tuple(words))
            pool.append((words, tags))
    train, dev, test = pool[:n_train], pool[n_train:n_train + n_dev], pool[n_train + n_dev:]
    vocab = {"<pad>": 0, "<unk>": 1}
    for words, _ in train:
        for w in words:
            vocab.setdefault(w, len(vocab))
    return train, dev, test, vocab


def collate(batch, vocab):
    width = max(len(w) for w, _ in batch)
    x = torch.zeros(len(batch), width, dtype=torch.long)
    y = torch.full((len(batch), width), PAD_TAG)
    for i, (words, tags) in enumerate(batch):
        x[i, :len(words)] = torch.tensor([vocab.get(w, 1) for w in words])
        y[i, :len(tags)] = torch.tensor([TAG_ID[t] for t in tags])
    return x, y
