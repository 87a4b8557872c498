"""Ticket corpus, tokenisation and vocabulary."""
import re
from collections import Counter

import numpy as np

PAD, UNK = 0, 1
_TOKEN = re.compile(r"[a-z]+|<num>")

INTENTS = {
    "billing": {
        "subj": ["invoice", "charge", "bill", "payment", "refund", "subscription fee"],
        "verb": ["was booked twice", "is higher than agreed", "never arrived", "shows an outdated amount", "was declined"],
    },
    "network": {
        "subj": ["connection", "wifi", "router", "VPN", "upload", "download"],
        "verb": ["drops every evening", "is terribly slow", "times out", "was declined by the gateway", "never starts"],
    },
    "account": {
        "subj": ["password", "login", "profile", "two factor code", "username", "email address"],
        "verb": ["was changed without notice", "is not accepted", "never arrived", "is locked", "shows an outdated name"],
    },
    "hardware": {
        "subj": ["screen", "keyboard", "battery", "docking station", "fan", "charger"],
        "verb": ["is terribly loud", "stays black", "gets hot", "is damaged again", "never starts"],
    },
    "cancel": {
        "subj": ["contract", "subscription", "order", "membership", "trial", "upgrade"],
        "verb": ["should end this month", "must be stopped", "is no longer needed", "was renewed without notice",
                 "should be undone"],
    },
}
LABELS = list(INTENTS)
OPENERS = ["Hello", "Hi team", "Dear support", "Good morning", "To whom it may concern", ""]
FILLERS = ["I have been waiting since {n} days", "Your colleague could not help", "My customer number is {n}",
           "Please call me back", "This is the {n}rd time I write", "I am using the latest version", "Thanks in advance"]


def _vary_case(rng, s):
    return [s, s.capitalize(), s.upper(), s.title()][rng.choice(4, p=[0.3, 0.25, 0.2, 0.25])]


def write_ticket(rng):
    label = int(rng.integers(len(LABELS)))
    parts = INTENTS[LABELS[label]]
    subject, verb = rng.choice(parts["subj"]), rng.choice(parts["verb"])
    if rng.random() < 0.15:
        subject = rng.choice(INTENTS[LABELS[rng.integers(len(LABELS))]]["subj"])
    core = f"{rng.choice(['my', 'the', 'our'])} {_vary_case(rng, subject)} {_vary_case(rng, verb)}"
    fill = [str(f).format(n=rng.integers(2, 900)) for f in rng.choice(FILLERS, 2, replace=False)]
    body = [core] + fill
    rng.shuffle(body)
    opener = str(rng.choice(OPENERS))
    marks = rng.choice(["!", ".", "...", "!!", "?"], 3)
    return (opener + ", " if opener else "") + " ".join(b + m for b, m in zip(body, marks)), label


def make_corpus(n, seed):
    rng = np.random.default_rng(seed)
    texts, labels = zip(*(write_ticket(rng) for _ in range(n)))
    return list(texts), list(labels)


def tokenize(text):
    text = re.sub(r"\d+", "<num>", text.lower())
    return _TOKEN.findall(text)


class Vocab:
    def __init__(self, token_lists, min_freq=2):
        counts = Counter(t for tokens in token_lists for t in tokens)
        self.itos = ["<pad>", "<unk>"] + sorted(t for t, c in counts.items() if c >= min_freq)
        self.stoi = {t: i for i, t in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, tokens, max_len):
        return [self.stoi.get(t, UNK) for t in tokens][:max_len]
