"""Character language model with tied input and output embeddings, on text of a toy language."""

import math
import random

import torch
import torch.nn.functional as F
from torch import nn

CONSONANTS, VOWELS = "bdgklmnprst", "aeiou"


def toy_text(num_words, rng):
    lexicon = set()
    while len(lexicon) < 24:
        syllables = rng.choice([2, 2, 3])
        lexicon.add("".join(rng.choice(CONSONANTS) + rng.choice(VOWELS) for _ in range(syllables)))
    lexicon = sorted(lexicon)
    followers = {word: rng.sample(lexicon, 12) for word in lexicon}
    words = [rng.choice(lexicon)]
    for _ in range(num_words - 1):
        words.append(rng.choice(followers[words[-1]]))
    return " ".join(words)


class CharLM(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.decoder = nn.Linear(dim, vocab_size)
        nn.init.normal_(self.embed.weight, std=0.2)
        nn.init.zeros_(self.decoder.bias)
        self.decoder.weight = self.embed.weight

    def forward(self, ids):
        hidden, _ = self.rnn(self.embed(ids))
        return self.decoder(hidden)


def sample_batch(data, batch_size, block):
    starts = torch.randint(len(data) - block - 1, (batch_size,))
    windows = torch.stack([data[s : s + block + 1] for s in starts.tolist()])
    return windows[:, :-1], windows[:, 1:]


@torch.no_grad()
def bits_per_char(lm, data, block):
    lm.eval()
    usable = (len(data) - 1) // block * block
    inputs = data[:usable].view(-1, block)
    targets = data[1 : usable + 1].view(-1, block)
    logits = lm(inputs)
    lm.train()
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item() / math.log(2)


def main():
    torch.manual_seed(13)
    text = toy_text(9000, random.Random(38))
    chars = sorted(set(text))
    stoi = {c: i for i, c in enumerate(chars)}
    data = torch.tensor([stoi[c] for c in text])
    cut = int(0.92 * len(data))
    train_data, val_data = data[:cut], data[cut:]
    block = 32
    print(f"{len(data)} characters, vocabulary {len(chars)}")

    lm = CharLM(len(chars), dim=56)
    optimizer = torch.optim.AdamW(lm.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=240)
    for it in range(240):
        inputs, targets = sample_batch(train_data, 24, block)
        logits = lm(inputs)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if it % 40 == 0:
            val = bits_per_char(lm, val_data, block)
            print(f"iter {it:3d} train {loss.item() / math.log(2):.3f} val {val:.3f} bits/char")
    print(f"final validation bits per char {bits_per_char(lm, val_data, block):.3f}")


if __name__ == "__main__":
    main()
