"""Who keeps tensors alive, on scripts that pile them up."""

from pathlib import Path

import pytest

from sleuth.record.entries import Keeper
from tests.watching.recording import watched

PILES = """
class Meter:
    def __init__(self):
        self.total = 0.0

    def update(self, value):
        self.total = 0.9 * self.total + 0.1 * value

net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
meter, shown = Meter(), {"outputs": []}
for _ in range(400):
    x, y = torch.randn(20, 5), torch.randint(3, (20,))
    loss = F.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.update(F.cross_entropy(net(x), y))
"""


@pytest.mark.parametrize(
    ("kept", "keeper"),
    [
        ("meter.update(F.cross_entropy(net(x), y))", [("meter.total", "graph")]),
        ("shown['outputs'].append((net(x).detach(), y))", [("shown['outputs']", "list")]),
        ("meter.update(loss.item())", []),
    ],
)
def test_who_keeps_tensors_that_pile_up(tmp_path: Path, kept: str, keeper: list[tuple[str, str]]) -> None:
    source = PILES.replace("meter.update(F.cross_entropy(net(x), y))", kept)
    told = watched(tmp_path, source).record.of(Keeper)
    assert [(seen.name, seen.type) for seen in told] == keeper
