"""Character model of a made-up language: predict the next letter from the last eight."""

import torch
from torch import nn

ALPHABET = "abcdefghijklmnop"
CONTEXT = 8
SYLLABLES = ["ka", "mo", "pi", "ned", "gol", "bi", "han", "ejo"]


def write_text(n_words, generator):
    """Words are runs of syllables; which syllable may follow which is fixed by grammar."""
    n = len(SYLLABLES)
    text, here = [], 0
    for _ in range(n_words):
        step = int(torch.randint(1, 3, (1,), generator=generator))
        here = (3 * here + step) % n
        text.append(SYLLABLES[here])
    return "".join(text)


def encode(text):
    codes = torch.tensor([ALPHABET.index(letter) for letter in text])
    windows = codes.unfold(0, CONTEXT + 1, 1)
    return windows[:, :-1], windows[:, -1]


class NextLetter(nn.Module):
    def __init__(self, n_letters=len(ALPHABET), width=12, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(n_letters, width)
        self.mix = nn.Linear(CONTEXT * width, hidden)
        self.out = nn.Linear(hidden, n_letters)

    def forward(self, letters):
        x = self.embed(letters).flatten(start_dim=1)
        return self.out(torch.tanh(self.mix(x)))


def train_step(model, optimizer, letters, following):
    loss = nn.functional.cross_entropy(model(letters), following)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()


def evaluate(model, letters, following):
    model.eval()
    with torch.no_grad():
        logits = model(letters)
    model.train()
    loss = nn.functional.cross_entropy(logits, following).item()
    return loss, (logits.argmax(dim=-1) == following).float().mean().item()


def main():
    generator = torch.Generator().manual_seed(8)
    train_letters, train_next = encode(write_text(3000, generator))
    val_letters, val_next = encode(write_text(600, generator))

    torch.manual_seed(8)
    model = NextLetter()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for step in range(1, 601):
        rows = torch.randint(0, len(train_next), (128,))
        loss = train_step(model, optimizer, train_letters[rows], train_next[rows])
        if step % 100 == 0:
            val_loss, val_acc = evaluate(model, val_letters, val_next)
            print(
                f"step {step:4d}  loss {loss:.3f}  val loss {val_loss:.3f}  val acc {val_acc:.3f}"
            )
    _, accuracy = evaluate(model, val_letters, val_next)
    print(f"final accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
