import torch
from torch import nn


class StreamingGRU(nn.Module):
    """Predicts the next sensor reading, keeps its state between chunks of one recording."""

    def __init__(self, n_sensors: int, hidden: int = 64):
        super().__init__()
        self.cell = nn.GRU(n_sensors, hidden, batch_first=True)
        self.readout = nn.Linear(hidden, n_sensors)
        self.h = None

    def reset(self) -> None:
        self.h = None

    def forward(self, chunk: torch.Tensor) -> torch.Tensor:
        out, self.h = self.cell(chunk, self.h)
        return self.readout(out)


def train(model: StreamingGRU, recordings, epochs: int = 10, chunk: int = 200) -> None:
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for rec in recordings:  # (1, T, n_sensors)
            model.reset()
            for t in range(0, rec.size(1) - chunk - 1, chunk):
                pred = model(rec[:, t:t + chunk])
                loss = nn.functional.mse_loss(pred, rec[:, t + 1:t + chunk + 1])
                opt.zero_grad()
                loss.backward(retain_graph=True)
                opt.step()
