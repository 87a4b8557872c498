"""Reverse a string of symbols with a GRU encoder-decoder and additive attention."""
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

PAD, BOS, EOS = 0, 1, 2
SYMBOLS = list(range(3, 13))
SEED = 31


def corpus(n, rng):
    seen = set()
    while len(seen) < n:
        seen.add(tuple(rng.choices(SYMBOLS, k=rng.randint(4, 7))))
    items = sorted(seen)
    rng.shuffle(items)
    return items


def collate(items):
    src = [torch.tensor(s) for s in items]
    tgt = [torch.tensor([BOS, *reversed(s), EOS]) for s in items]
    lengths = torch.tensor([len(s) for s in src])
    return pad_sequence(src, True, PAD), lengths, pad_sequence(tgt, True, PAD)


class Seq2Seq(nn.Module):
    def __init__(self, vocab=13, emb=32, hid=64):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.encoder = nn.GRU(emb, hid, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hid, hid)
        self.keys = nn.Linear(2 * hid, hid, bias=False)
        self.query = nn.Linear(hid, hid)
        self.energy = nn.Linear(hid, 1, bias=False)
        self.cell = nn.GRUCell(emb + 2 * hid, hid)
        self.out = nn.Linear(3 * hid, vocab)

    def encode(self, src, lengths):
        packed = pack_padded_sequence(self.embed(src), lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        states, _ = pad_packed_sequence(states, batch_first=True)
        start = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        return states, self.keys(states), src.eq(PAD), start

    def step(self, token, h, memory):
        states, keys, blank, _ = memory
        e = self.energy(torch.tanh(keys + self.query(h).unsqueeze(1))).squeeze(-1)
        w = e.masked_fill(blank, float("-inf")).softmax(dim=1)
        context = torch.bmm(w.unsqueeze(1), states).squeeze(1)
        h = self.cell(torch.cat([self.embed(token), context], dim=-1), h)
        return self.out(torch.cat([h, context], dim=-1)), h

    def forward(self, src, lengths, tgt_in):
        memory = self.encode(src, lengths)
        h, logits = memory[3], []
        for token in tgt_in.unbind(1):
            o, h = self.step(token, h, memory)
            logits.append(o)
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def greedy(self, src, lengths, steps):
        memory = self.encode(src, lengths)
        h, token, out = memory[3], torch.full((len(src),), BOS), []
        for _ in range(steps):
            o, h = self.step(token, h, memory)
            token = o.argmax(-1)
            out.append(token)
        return torch.stack(out, dim=1)


def exact_match(model, loader):
    model.eval()
    right = total = 0
    for src, lengths, tgt in loader:
        gold = tgt[:, 1:]
        guess = model.greedy(src, lengths, gold.size(1))
        right += ((guess == gold) | (gold == PAD)).all(dim=1).sum().item()
        total += len(src)
    return right / total


def main():
    rng = random.Random(SEED)
    torch.manual_seed(SEED)
    items = corpus(5000, rng)
    train = DataLoader(items[:4000], 64, shuffle=True, collate_fn=collate)
    val = DataLoader(items[4000:4400], 200, collate_fn=collate)
    test = DataLoader(items[4400:], 200, collate_fn=collate)

    model = Seq2Seq()
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    epochs = 6
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 6e-3, epochs=epochs, steps_per_epoch=len(train), pct_start=0.2)
    for epoch in range(1, epochs + 1):
        model.train()
        nll, tokens = 0.0, 0
        for src, lengths, tgt in train:
            logits = model(src, lengths, tgt[:, :-1])
            gold = tgt[:, 1:]
            loss = criterion(logits.transpose(1, 2), gold)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            k = gold.ne(PAD).sum().item()
            nll, tokens = nll + loss.item() * k, tokens + k
        print(f"epoch {epoch:2d} | loss/token {nll / tokens:.4f} | val exact {exact_match(model, val):.3f}")
    print(f"test exact match: {exact_match(model, test):.3f}")


if __name__ == "__main__":
    main()
