"""BiLSTM-CRF for slot filling: date expressions (B-DATE, I-DATE) and places (B-LOC, I-LOC) in toy travel requests."""
import random
from collections import Counter

import torch
from torch import nn

TAGS = ["O", "B-DATE", "I-DATE", "B-LOC", "I-LOC"]
TAG2ID = {t: i for i, t in enumerate(TAGS)}
CITIES = [["paris"], ["rome"], ["new", "york"], ["san", "marino"], ["rio", "de", "janeiro"], ["may"], ["lima"]]
MONTHS = ["january", "march", "may", "june", "august"]
LEADS = [["book", "me", "a", "flight"], ["i", "want", "to", "go"], ["please", "find", "a", "train"], ["cheap", "trip"]]
TAILS = [[], ["please"], ["with", "a", "window", "seat"], ["for", "two"], ["in", "the", "morning"]]


def make_sentence(rng: random.Random):
    pairs = [(w, "O") for w in rng.choice(LEADS)]

    def place(prep):
        city = rng.choice(CITIES)
        return [(prep, "O")] + [(w, "B-LOC" if i == 0 else "I-LOC") for i, w in enumerate(city)]

    def date():
        day, month = str(rng.randint(1, 28)), rng.choice(MONTHS)
        words = rng.choice([[month, day], [day, "of", month], [month]])
        return [(rng.choice(["on", "around"]), "O")] + [(w, "B-DATE" if i == 0 else "I-DATE") for i, w in enumerate(words)]

    chunks = [place("to")]
    if rng.random() < 0.6:
        chunks.append(place("from"))
    if rng.random() < 0.8:
        chunks.append(date())
    rng.shuffle(chunks)
    pairs += [p for c in chunks for p in c] + [(w, "O") for w in rng.choice(TAILS)]
    words, tags = zip(*pairs)
    return words, tags


class CRF(nn.Module):
    def __init__(self, n_tags):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(n_tags))
        self.end = nn.Parameter(torch.zeros(n_tags))
        self.trans = nn.Parameter(torch.zeros(n_tags, n_tags))

    def path_score(self, emissions, tags, mask):
        unary = emissions.gather(2, tags.unsqueeze(2)).squeeze(2)
        pair = self.trans[tags[:, :-1], tags[:, 1:]]
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        return (unary * mask).sum(1) + (pair * mask[:, 1:]).sum(1) + self.start[tags[:, 0]] + self.end[last]

    def log_partition(self, emissions, mask):
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            step = torch.logsumexp(alpha.unsqueeze(2) + self.trans, dim=1) + emissions[:, t]
            alpha = torch.where(mask[:, t].unsqueeze(1), step, alpha)
        return torch.logsumexp(alpha + self.end, dim=1)

    def forward(self, emissions, tags, mask):
        return (self.log_partition(emissions, mask) - self.path_score(emissions, tags, mask)).mean()

    def viterbi(self, emissions, length):
        score, back = self.start + emissions[0], []
        for t in range(1, length):
            best, arg = (score.unsqueeze(1) + self.trans).max(dim=0)
            score = best + emissions[t]
            back.append(arg)
        path = [int((score + self.end).argmax())]
        for arg in reversed(back):
            path.append(int(arg[path[-1]]))
        return path[::-1]


class Tagger(nn.Module):
    def __init__(self, vocab_size, emb=24, hidden=24):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, bidirectional=True, batch_first=True)
        self.drop = nn.Dropout(0.2)
        self.proj = nn.Linear(2 * hidden, len(TAGS))
        self.crf = CRF(len(TAGS))

    def emissions(self, ids, mask):
        packed = nn.utils.rnn.pack_padded_sequence(self.emb(ids), mask.sum(1), batch_first=True, enforce_sorted=False)
        out, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=ids.size(1))
        return self.proj(self.drop(out))


def batchify(data, vocab):
    width = max(len(w) for w, _ in data)
    ids, tags = torch.zeros(len(data), width, dtype=torch.long), torch.zeros(len(data), width, dtype=torch.long)
    mask = torch.zeros(len(data), width, dtype=torch.bool)
    for i, (words, labels) in enumerate(data):
        ids[i, : len(words)] = torch.tensor([vocab.get(w, 1) for w in words])
        tags[i, : len(words)] = torch.tensor([TAG2ID[t] for t in labels])
        mask[i, : len(words)] = True
    return ids, tags, mask


def spans(tags):
    found, start = set(), None
    for i, tag in enumerate([*tags, "O"]):
        if start is not None and not tag.startswith("I-"):
            found.add((start, i, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = i
    return found


@torch.no_grad()
def span_f1(model, data, vocab):
    model.eval()
    ids, _, mask = batchify(data, vocab)
    counts, em = Counter(), model.emissions(ids, mask)
    for i, (words, gold) in enumerate(data):
        pred = spans([TAGS[k] for k in model.crf.viterbi(em[i], len(words))])
        ref = spans(gold)
        counts.update(tp=len(pred & ref), pred=len(pred), ref=len(ref))
    return 2 * counts["tp"] / (counts["pred"] + counts["ref"])


if __name__ == "__main__":
    torch.manual_seed(13)
    rng = random.Random(13)
    sentences = sorted({make_sentence(rng) for _ in range(1000)})
    rng.shuffle(sentences)
    train, test = sentences[:500], sentences[500:700]
    vocab = {w: i for i, w in enumerate(["<pad>", "<unk>"] + sorted({w for s, _ in train for w in s}))}
    model = Tagger(len(vocab))
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(8):
        model.train()
        rng.shuffle(train)
        losses = []
        for i in range(0, len(train), 25):
            ids, tags, mask = batchify(train[i:i + 25], vocab)
            loss = model.crf(model.emissions(ids, mask), tags, mask)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 10.0)
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: sentence nll {sum(losses) / len(losses):.3f}")
    print(f"span F1 on unseen requests: {span_f1(model, test, vocab):.3f} ({len(test)} sentences)")
