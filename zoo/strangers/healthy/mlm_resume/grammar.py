"""A small agreement grammar: number agreement, verb-dependent objects, and bracket-like adverbs."""
import random

SING = ["cat", "dog", "bird", "child", "robot", "farmer"]
PLUR = ["cats", "dogs", "birds", "children", "robots", "farmers"]
VERBS = {"eats": ("eat", ["bread", "fruit", "soup"]), "drives": ("drive", ["cars", "trucks", "trains"]),
         "reads": ("read", ["books", "letters", "maps"]), "sings": ("sing", ["songs", "hymns"])}
ADJ = ["old", "red", "tiny", "happy", "quiet"]
FRAMES = [("today", "now"), ("yesterday", "then"), ("often", "usually")]
PAD, MASK, BOS, EOS = "<pad>", "<mask>", "<s>", "</s>"


def utter(rnd):
    plural = rnd.random() < 0.5
    noun = rnd.choice(PLUR if plural else SING)
    det = rnd.choice(["these", "many"] if plural else ["this", "every"])
    third = rnd.choice(sorted(VERBS))
    base, objs = VERBS[third]
    opening, closing = rnd.choice(FRAMES)
    adjs = rnd.sample(ADJ, rnd.randint(0, 2))
    return [BOS, opening, det, *adjs, noun, base if plural else third, rnd.choice(ADJ), rnd.choice(objs), closing, EOS]


def corpora(sizes, seed):
    rnd, seen, out = random.Random(seed), set(), []
    for n in sizes:
        part = []
        while len(part) < n:
            s = tuple(utter(rnd))
            if s not in seen:
                seen.add(s)
                part.append(s)
        out.append(part)
    return out


def build_vocab(sentences):
    words = sorted({w for s in sentences for w in s} - {BOS, EOS})
    return {w: i for i, w in enumerate([PAD, MASK, BOS, EOS, *words])}
