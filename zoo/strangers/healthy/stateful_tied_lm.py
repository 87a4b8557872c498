"""Character language model on an endless synthetic stream, trained by truncated back-propagation through time.

The recurrent state is carried from one chunk to the next (detached), input and output embeddings are one tensor, and
the clip norm is deliberately low. The source has known entropy, so the loss cannot go to zero: the floor is printed.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

VOCAB, STREAMS, CHUNK = 12, 40, 28


def make_source(gen):
    """A second-order Markov chain over 12 symbols."""
    return torch.softmax(2.0 * torch.randn(VOCAB, VOCAB, VOCAB, generator=gen), dim=-1)


def draw(table, streams, length, gen):
    out = torch.randint(VOCAB, (streams, 2), generator=gen)
    cols = [out[:, 0], out[:, 1]]
    for _ in range(length - 2):
        nxt = torch.multinomial(table[cols[-2], cols[-1]], 1, generator=gen).squeeze(1)
        cols.append(nxt)
    return torch.stack(cols, dim=1)


def entropy_on(table, text):
    p = table[text[:, :-2], text[:, 1:-1]]
    return -p.gather(-1, text[:, 2:, None]).log().mean().item()


class TiedGRU(nn.Module):
    def __init__(self, dim=64, hidden=96):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.rnn = nn.GRU(dim, hidden, batch_first=True)
        self.project = nn.Linear(hidden, dim)
        self.decoder = nn.Linear(dim, VOCAB)
        self.decoder.weight = self.embed.weight
        nn.init.normal_(self.embed.weight, std=dim ** -0.5)
        nn.init.zeros_(self.decoder.bias)
        self.gain = math.sqrt(dim)

    def forward(self, tokens, state):
        h, state = self.rnn(self.embed(tokens) * self.gain, state)
        return self.decoder(self.project(h)), state


def chunks(text):
    for start in range(0, text.shape[1] - CHUNK - 1, CHUNK):
        yield text[:, start:start + CHUNK], text[:, start + 1:start + CHUNK + 1]


@torch.no_grad()
def perplexity_nats(model, text):
    model.eval()
    state, total, count = None, 0.0, 0
    for x, y in chunks(text):
        logits, state = model(x, state)
        total += F.cross_entropy(logits.reshape(-1, VOCAB), y.reshape(-1), reduction="sum").item()
        count += y.numel()
    model.train()
    return total / count


def main():
    gen = torch.Generator().manual_seed(21)
    torch.manual_seed(21)
    table = make_source(gen)
    train, valid = draw(table, STREAMS, 3700, gen), draw(table, 16, 1000, gen)
    floor = entropy_on(table, valid)
    model = TiedGRU()
    opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)
    epochs = 3
    total_steps, step = epochs * len(list(chunks(train))), 0
    print(f"{total_steps} steps; uniform guess {math.log(VOCAB):.3f}, source entropy {floor:.3f}")
    for epoch in range(epochs):
        state = None  # streams start over with each pass
        model.train()
        running = 0.0
        for i, (x, y) in enumerate(chunks(train), 1):
            lr = 5e-3 * min(1.0, (step + 1) / 20) * (1 - 0.98 * step / total_steps)
            opt.param_groups[0]["lr"] = lr
            logits, state = model(x, None if state is None else state.detach())
            loss = F.cross_entropy(logits.transpose(1, 2), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.25)
            opt.step()
            step += 1
            running += loss.item()
            if i % 43 == 0:
                print(f"epoch {epoch} chunk {i:3d} lr {lr:.4f} train {running / 43:.4f} "
                      f"valid {perplexity_nats(model, valid):.4f}")
                running = 0.0
    final = perplexity_nats(model, valid)
    print(f"final: valid {final:.4f} nats/char, floor {floor:.4f}, excess {final - floor:.4f}")


if __name__ == "__main__":
    main()
