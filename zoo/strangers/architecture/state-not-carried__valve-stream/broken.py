"""Track a valve's position from a continuous event log.

Several plants are logged in parallel; each log is one long sequence, cut into short chunks for
truncated back-propagation. "open" and "close" events are rare, everything in between is chatter.
"""
import torch
from torch import nn

EVENTS = {"open": 0, "close": 1}      # 2..7: chatter
N_EVENTS, PLANTS, CHUNK = 8, 32, 8


def simulate(n_steps, plants, gen):
    tokens = torch.randint(2, N_EVENTS, (plants, n_steps), generator=gen)
    switch = torch.rand(plants, n_steps, generator=gen) < 0.04
    which = torch.randint(0, 2, (plants, n_steps), generator=gen)
    tokens = torch.where(switch, which, tokens)
    position = torch.zeros(plants, n_steps, dtype=torch.long)
    current = torch.zeros(plants, dtype=torch.long)
    for t in range(n_steps):
        current = torch.where(tokens[:, t] == EVENTS["open"], torch.ones_like(current), current)
        current = torch.where(tokens[:, t] == EVENTS["close"], torch.zeros_like(current), current)
        position[:, t] = current
    return tokens, position


def chunks(tokens, position, size):
    for lo in range(0, tokens.shape[1], size):
        yield tokens[:, lo:lo + size], position[:, lo:lo + size]


class ValveTracker(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.embed = nn.Embedding(N_EVENTS, 8)
        self.rnn = nn.LSTM(8, hidden, batch_first=True)
        self.readout = nn.Linear(hidden, 2)

    def forward(self, tokens, state=None):
        out, state = self.rnn(self.embed(tokens), state)
        return self.readout(out), state


def repackage(state):
    return tuple(s.detach() for s in state)


def run(model, data, opt=None):
    model.train(opt is not None)
    loss_sum, hits, count = 0.0, 0, 0
    for x, y in chunks(*data, CHUNK):
        state = None
        with torch.set_grad_enabled(opt is not None):
            logits, state = model(x, state)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
        state = repackage(state)
        loss_sum += loss.item() * y.numel()
        hits += (logits.argmax(-1) == y).sum().item()
        count += y.numel()
    return loss_sum / count, hits / count


def main():
    torch.manual_seed(21)
    gen = torch.Generator().manual_seed(21)
    train, test = simulate(800, PLANTS, gen), simulate(400, PLANTS, gen)
    print(f"valve open {train[1].float().mean():.2%} of the time")
    model = ValveTracker()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(1, 11):
        loss, acc = run(model, train, opt)
        vl, va = run(model, test)
        print(f"epoch {epoch:2d}: train loss {loss:.4f} acc {acc:.3f} | test loss {vl:.4f} acc {va:.3f}")


if __name__ == "__main__":
    main()
