import numpy as np
import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self, vectors, vocab, waves):
        super().__init__()
        table = np.random.normal(scale=0.6, size=(len(vocab), 300))
        for word, place in vocab.items():
            if word in vectors:
                table[place] = vectors[word]
        self.words = nn.Embedding.from_pretrained(torch.from_numpy(table).float())
        self.codes = nn.Embedding.from_pretrained(torch.randn(64, 300), freeze=True)
        self.learnt = nn.Embedding.from_pretrained(torch.randn(64, 300), freeze=False)
        self.places = nn.Embedding.from_pretrained(waves)
        self.out = nn.Linear(300, 2)

    def forward(self, ids, codes, places):
        seen = self.words(ids) + self.codes(codes) + self.learnt(codes) + self.places(places)
        return self.out(seen.mean(1))
