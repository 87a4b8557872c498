"""Synthetic product reviews; each carries an average mood between -1 and 1 per word, times ten."""
import random

GOOD = {"great": 1.0, "lovely": 0.8, "superb": 1.2, "solid": 0.5, "crisp": 0.4, "reliable": 0.7}
BAD = {"awful": -1.2, "flimsy": -0.6, "noisy": -0.5, "dull": -0.4, "cracked": -1.0, "useless": -0.9}
FLIP = "not never hardly".split()
FILLER = ("the a this that it was is my box screen strap handle battery colour after "
          "week month bought used with for on and then case door cable shelf").split()

PAD, UNK = "<pad>", "<unk>"


def write_review(rng):
    length = int(min(80, 6 + rng.expovariate(1 / 14)))
    words = [rng.choice(FILLER) for _ in range(length)]
    leaning = rng.random()
    total = 0.0
    for pos in range(1, length, 2):
        if rng.random() > 0.4:
            continue
        word, value = rng.choice(list((GOOD if rng.random() < leaning else BAD).items()))
        words[pos] = word
        if rng.random() < 0.25:
            words[pos - 1] = rng.choice(FLIP)
            value = -value
        total += value
    return words, 10.0 * total / length + rng.gauss(0, 0.15)


def make_corpus(n, seed):
    rng = random.Random(seed)
    return [write_review(rng) for _ in range(n)]


class Vocab:
    def __init__(self, reviews):
        words = sorted({w for r, _ in reviews for w in r})
        self.itos = [PAD, UNK] + words
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def encode(self, words):
        return [self.stoi.get(w, 1) for w in words]

    def __len__(self):
        return len(self.itos)
