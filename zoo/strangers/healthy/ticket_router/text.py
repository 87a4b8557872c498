from collections import Counter

import torch


class Vocab:
    """Built from training text alone; everything else is <unk>."""

    def __init__(self, texts, min_count=2):
        counts = Counter(w for t in texts for w in t.split())
        self.itos = ["<unk>"] + sorted(w for w, c in counts.items() if c >= min_count)
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return [self.stoi.get(w, 0) for w in text.split()]


class Collate:
    """Flat ids plus offsets, the layout nn.EmbeddingBag takes. No padding anywhere."""

    def __init__(self, vocab):
        self.vocab = vocab

    def __call__(self, rows):
        flat, offsets, labels = [], [], []
        for text, label in rows:
            offsets.append(len(flat))
            flat.extend(self.vocab.encode(text))
            labels.append(label)
        return torch.tensor(flat), torch.tensor(offsets), torch.tensor(labels)
