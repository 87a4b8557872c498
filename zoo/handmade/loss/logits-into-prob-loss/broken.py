"""Character-level language model over made-up shipping notices."""

import random

import torch
from torch import nn

WORDS = (
    "parcel arrived delayed customs harbour truck today tomorrow signed returned "
    "warehouse pickup invoice sealed damaged express"
).split()
SEQ = 32
BATCH = 32
STEPS = 200


def write_corpus(n_words, seed):
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) for _ in range(n_words))


class CharModel(nn.Module):
    def __init__(self, vocab, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(vocab, 24)
        self.rnn = nn.GRU(24, hidden, batch_first=True)
        self.proj = nn.Linear(hidden, vocab)

    def forward(self, chars):
        states, _ = self.rnn(self.embed(chars))
        return self.proj(states)


def sample_batch(stream):
    starts = torch.randint(len(stream) - SEQ - 1, (BATCH,))
    rows = torch.stack([stream[s : s + SEQ + 1] for s in starts])
    return rows[:, :-1], rows[:, 1:]


def next_char_accuracy(model, stream):
    model.eval()
    usable = (len(stream) - 1) // SEQ * SEQ
    inputs = stream[:usable].view(-1, SEQ)
    targets = stream[1 : usable + 1].view(-1, SEQ)
    with torch.no_grad():
        guess = model(inputs).argmax(dim=-1)
    return (guess == targets).float().mean().item()


def main():
    torch.manual_seed(2)
    text, unseen = write_corpus(4000, seed=1), write_corpus(600, seed=2)
    alphabet = sorted(set(text))
    index = {ch: i for i, ch in enumerate(alphabet)}
    train_stream = torch.tensor([index[ch] for ch in text])
    test_stream = torch.tensor([index[ch] for ch in unseen])
    print(f"{len(text)} characters, alphabet of {len(alphabet)}")

    model = CharModel(len(alphabet))
    nll = nn.NLLLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)

    model.train()
    for step in range(1, STEPS + 1):
        inputs, targets = sample_batch(train_stream)
        output = model(inputs)
        loss = nll(output.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}")

    print(f"next-character accuracy {next_char_accuracy(model, test_stream):.3f}")


if __name__ == "__main__":
    main()
