"""Tell eight kinds of vibration apart: recordings are gathered machine by machine, then split."""

import torch
from torch import nn, optim

N_KINDS = 8
PER_KIND = 150
LENGTH = 64


def record(kind: int, count: int, generator: torch.Generator) -> torch.Tensor:
    """Noisy recordings of one kind of fault: each has its own frequency and harmonic."""
    time = torch.linspace(0, 1, LENGTH)
    phase = 6.28 * torch.rand(count, 1, generator=generator)
    base = torch.sin(6.28 * (2 + kind) * time + phase)
    overtone = 0.6 * torch.sin(6.28 * (2 + kind) * (2 + kind % 3) * time + 2 * phase)
    return base + overtone + 0.5 * torch.randn(count, LENGTH, generator=generator)


def gather(generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    signals = torch.cat([record(kind, PER_KIND, generator) for kind in range(N_KINDS)])
    kinds = torch.arange(N_KINDS).repeat_interleave(PER_KIND)
    return signals, kinds


def split(
    signals: torch.Tensor, kinds: torch.Tensor, share: float = 0.75
) -> tuple[torch.Tensor, ...]:
    cut = int(share * len(signals))
    return signals[:cut], kinds[:cut], signals[cut:], kinds[cut:]


class SpectrumNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(LENGTH // 2 + 1, 48)
        self.out = nn.Linear(48, N_KINDS)

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        spectrum = torch.fft.rfft(signal).abs() / LENGTH**0.5
        return self.out(torch.relu(self.hidden(spectrum)))


def train(net: nn.Module, x: torch.Tensor, y: torch.Tensor, epochs: int = 12) -> None:
    optimizer = optim.Adam(net.parameters(), lr=5e-3)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for rows in torch.randperm(len(x)).split(60):
            optimizer.zero_grad()
            loss = loss_fn(net(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch:2d}  loss {total / len(x):.4f}")


@torch.no_grad()
def score(net: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


def main() -> None:
    torch.manual_seed(11)
    generator = torch.Generator().manual_seed(11)
    signals, kinds = gather(generator)
    x_train, y_train, x_test, y_test = split(signals, kinds)
    net = SpectrumNet()
    train(net, x_train, y_train)
    print(f"train accuracy {score(net, x_train, y_train):.3f}")
    print(f"test accuracy {score(net, x_test, y_test):.3f}")


if __name__ == "__main__":
    main()
