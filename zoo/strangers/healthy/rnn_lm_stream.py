'''Character language model on a running text, truncated BPTT.

The text is cut into BATCH parallel ribbons; consecutive chunks of a ribbon follow each other, and the LSTM state
travels with them (cut from its graph between chunks).  The order of chunks is therefore deliberate.
'''
import math
import random

import torch
from torch import nn

RIBBONS, CHUNK = 32, 40


MOOD = ['old', 'quiet', 'grey', 'clever', 'tired', 'young', 'lame', 'proud']
WHO = ['miller', 'heron', 'sister', 'ferryman', 'fox', 'baker', 'widow', 'goat']
DID = {'saw': ['the moon', 'a lantern', 'the river'], 'carried': ['a basket', 'the bread', 'a heavy stone'],
       'sold': ['the bread', 'a basket', 'seven eggs'], 'feared': ['the river', 'the dark', 'a lantern']}
WHERE = ['by the mill', 'near the bridge', 'in the barn', 'on the hill', 'under the oak', 'at the fair']
WHEN = ['at dawn', 'at night', 'in winter', 'before supper', 'on sunday', 'in the rain']
BITS_PER_SENTENCE = sum(math.log2(k) for k in (8, 8, 4, 3, 6, 6))


def write_stories(sizes, seed):
    """Several texts of distinct sentences: none is used twice, within a text or across them."""
    r = random.Random(seed)
    used, texts = set(), []
    for size in sizes:
        out = []
        while len(out) < size:
            verb = r.choice(list(DID))
            line = (f'the {r.choice(MOOD)} {r.choice(WHO)} {verb} {r.choice(DID[verb])} '
                    f'{r.choice(WHERE)} {r.choice(WHEN)}.')
            if line not in used:
                used.add(line)
                out.append(line)
        texts.append(' '.join(out) + ' ')
    return texts


def ribbons(ids):
    n = len(ids) // RIBBONS
    return ids[:n * RIBBONS].view(RIBBONS, n)


def chunks(data):
    for start in range(0, data.size(1) - 1, CHUNK):
        end = min(start + CHUNK, data.size(1) - 1)
        yield data[:, start:end], data[:, start + 1:end + 1]


class CharLM(nn.Module):
    def __init__(self, vocab, emb=24, hidden=96):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.rnn = nn.LSTM(emb, hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, state=None):
        h, state = self.rnn(self.emb(x), state)
        return self.out(self.drop(h)), state


def cut(state):
    return tuple(s.detach() for s in state)


@torch.no_grad()
def bits_per_char(model, data, loss_fn):
    model.eval()
    state, nats, n = None, 0.0, 0
    for x, y in chunks(data):
        logits, state = model(x, state)
        nats += loss_fn(logits.flatten(0, 1), y.flatten()).item() * y.numel()
        n += y.numel()
    return nats / n / math.log(2)


def main():
    torch.manual_seed(2)
    texts = dict(zip(('train', 'valid', 'test'), write_stories((2600, 300, 300), seed=100)))
    chars = sorted(set(texts['train']))
    code = {c: i for i, c in enumerate(chars)}
    data = {k: ribbons(torch.tensor([code[c] for c in t])) for k, t in texts.items()}
    print(f'{len(texts["train"])} characters, {len(chars)} symbols; the grammar itself needs about '
          f'{BITS_PER_SENTENCE * 300 / len(texts["test"]):.3f} bits per character')

    model = CharLM(len(chars))
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    epochs = 7
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        model.train()
        state, nats, n = None, 0.0, 0
        for x, y in chunks(data['train']):
            logits, state = model(x, None if state is None else cut(state))
            loss = loss_fn(logits.flatten(0, 1), y.flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            nats += loss.item() * y.numel()
            n += y.numel()
        sched.step()
        print(f'epoch {epoch}  train {nats / n / math.log(2):.3f} bits  valid {bits_per_char(model, data["valid"], loss_fn):.3f} bits')
    print(f'test {bits_per_char(model, data["test"], loss_fn):.3f} bits per character')


if __name__ == '__main__':
    main()
