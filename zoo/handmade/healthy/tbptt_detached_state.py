"""Track the level of a leaky tank from its inflow, with truncated back-propagation through time."""

import torch
from torch import nn

CHUNK = 20
STREAMS = 16


def simulate_tank(steps, streams, gen):
    inflow = torch.randn(steps, streams, generator=gen)
    level = torch.zeros(streams)
    levels = []
    for u in inflow:
        level = 0.94 * level + 0.34 * torch.tanh(u)
        levels.append(level)
    return inflow, torch.stack(levels)


def repackage(state):
    """Keep the values of a recurrent state and forget how they were computed."""
    if isinstance(state, torch.Tensor):
        return state.detach()
    return tuple(repackage(part) for part in state)


class TankModel(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden)
        self.readout = nn.Linear(hidden, 1)
        self.hidden = hidden

    def initial_state(self, streams):
        return torch.zeros(1, streams, self.hidden), torch.zeros(1, streams, self.hidden)

    def forward(self, inflow, state):
        out, state = self.lstm(inflow.unsqueeze(-1), state)
        return self.readout(out).squeeze(-1), state


def chunks(inflow, level):
    for start in range(0, len(inflow), CHUNK):
        yield inflow[start : start + CHUNK], level[start : start + CHUNK]


def evaluate(model, inflow, level):
    model.eval()
    state = model.initial_state(inflow.shape[1])
    predictions = []
    with torch.no_grad():
        for u, _ in chunks(inflow, level):
            predicted, state = model(u, state)
            predictions.append(predicted)
    error = torch.cat(predictions) - level
    return (error.pow(2).mean() / level.var()).item()


def main():
    torch.manual_seed(6)
    gen = torch.Generator().manual_seed(60)
    train_u, train_level = simulate_tank(1200, STREAMS, gen)
    test_u, test_level = simulate_tank(600, 8, gen)
    scale = train_level.std()
    train_level, test_level = train_level / scale, test_level / scale

    model = TankModel()
    loss_fn = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
    for epoch in range(12):
        model.train()
        state = model.initial_state(STREAMS)
        total, count = 0.0, 0
        for u, level in chunks(train_u, train_level):
            state = repackage(state)
            predicted, state = model(u, state)
            loss = loss_fn(predicted, level)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            total += loss.item()
            count += 1
        scheduler.step()
        print(f"epoch {epoch + 1} train mse {total / count:.4f}")
    print(f"test normalised error {evaluate(model, test_u, test_level):.4f}")


if __name__ == "__main__":
    main()
