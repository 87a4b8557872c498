"""Streaming telemetry model: a GRU reads parallel machine logs in order and keeps its memory from chunk to chunk.

The event stream has long-range structure (an operating mode opened by a marker event, valid until the next marker), so
the state is carried over chunk borders and truncated back-propagation is used.
"""
import torch
import torch.nn.functional as F
from torch import nn

N_EVENTS = 12          # events 0..2 open a mode, 3..11 happen inside a mode
CHUNK = 25
STREAMS = 24


def simulate(n_streams: int, length: int, generator: torch.Generator) -> torch.Tensor:
    mode = torch.randint(3, (n_streams,), generator=generator)
    phase = torch.zeros(n_streams, dtype=torch.long)
    columns = []
    for _ in range(length):
        switch = torch.rand(n_streams, generator=generator) < 0.02
        mode = torch.where(switch, torch.randint(3, (n_streams,), generator=generator), mode)
        slip = torch.rand(n_streams, generator=generator) < 0.05
        inner = 3 + 3 * ((mode + phase) % 3) + torch.randint(3, (n_streams,), generator=generator) * slip
        inner = inner.clamp(max=N_EVENTS - 1)
        columns.append(torch.where(switch, mode, inner))
        phase = torch.where(switch, torch.zeros_like(phase), (phase + 1 + (mode == 2)) % 3)
    return torch.stack(columns, dim=1)


def chunks(stream: torch.Tensor):
    for start in range(0, stream.shape[1] - 1, CHUNK):
        stop = min(start + CHUNK, stream.shape[1] - 1)
        yield stream[:, start:stop], stream[:, start + 1:stop + 1]


class EventModel(nn.Module):
    def __init__(self, dim: int = 48):
        super().__init__()
        self.embed = nn.Embedding(N_EVENTS, dim)
        nn.init.normal_(self.embed.weight, std=dim ** -0.5)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.decode = nn.Linear(dim, N_EVENTS)
        self.decode.weight = self.embed.weight

    def forward(self, events, state=None):
        out, state = self.rnn(self.embed(events), state)
        return self.decode(out), state


def evaluate(model: EventModel, stream: torch.Tensor) -> tuple[float, float]:
    model.eval()
    state, nll, right, count = None, 0.0, 0, 0
    with torch.inference_mode():
        for seen, following in chunks(stream):
            logits, state = model(seen, state)
            nll += F.cross_entropy(logits.transpose(1, 2), following, reduction="sum").item()
            right += (logits.argmax(-1) == following).sum().item()
            count += following.numel()
    return nll / count, right / count


def main() -> None:
    torch.manual_seed(17)
    gen = torch.Generator().manual_seed(17)
    train = simulate(STREAMS, 1000, gen)
    valid = simulate(STREAMS, 200, gen)
    test = simulate(STREAMS, 200, gen)

    model = EventModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(6):
        model.train()
        state = None
        total = count = 0
        for seen, following in chunks(train):
            if state is not None:
                state = state.detach()
            logits, state = model(seen, state)
            loss = F.cross_entropy(logits.transpose(1, 2), following)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * following.numel()
            count += following.numel()
        nll, acc = evaluate(model, valid)
        print(f"pass {epoch + 1}: train {total / count:.4f}  valid {nll:.4f}  next-event accuracy {acc:.3f}")
    nll, acc = evaluate(model, test)
    print(f"test nll {nll:.4f}, next-event accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
