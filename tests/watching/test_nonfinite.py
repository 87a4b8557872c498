"""The first non-finite value: module, operation and line, and a run that is not disturbed by the replay."""

from pathlib import Path

import pytest

from sleuth.record.entries import NonFinite
from tests.watching.recording import bare, watched

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)
        self.shift = 5.0
    def forward(self, x):
        h = F.dropout(F.relu(self.norm(self.a(x))), 0.2, self.training)
        return FORWARD
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.001)
x, y = torch.randn(16, 4), torch.rand(16, 1)
for i in range(6):
    if i == 4:
        net.shift = -50.0
    optimizer.zero_grad()
    loss = LOSS
    loss.backward()
    optimizer.step()
final = [p.detach().clone() for p in net.parameters()] + [*net.buffers()] + [torch.get_rng_state()]
"""


@pytest.mark.parametrize(
    ("forward", "loss", "expected"),
    [
        ("torch.log(self.b(h) + self.shift)", "F.mse_loss(net(x), y)", ("log", False, "return torch.log")),
        ("self.b(h)", "F.mse_loss(net(x), y) * (net.shift + 50).__truediv__(1e-9)", None),
        ("self.b(h)", "F.mse_loss(net(x), y / (0.0 if i == 4 else 1.0))", ("mse_loss", False, "loss = ")),
        ("self.b(h)", "torch.log(net(x).pow(2) * (i != 4)).mean()", ("log", False, "loss.backward")),
        (
            "torch.sqrt((self.b(h) * (self.shift > 0)).pow(2))",
            "F.mse_loss(net(x), y)",
            ("div", True, "torch.sqrt"),
        ),
    ],
    ids=["model", "finite", "loss function", "own loss", "gradient"],
)
def test_the_operation_is_named(
    tmp_path: Path, forward: str, loss: str, expected: tuple[str, bool, str] | None
) -> None:
    source = NET.replace("FORWARD", forward).replace("LOSS", loss)
    seen = watched(tmp_path, source)
    found = seen.record.of(NonFinite)
    if expected is None:
        assert not found
        return
    operation, backward, line = expected
    assert len(found) == 1
    assert (found[0].n, found[0].backward, found[0].replayed) == (4, backward, True)
    assert operation in found[0].operation
    assert found[0].line == seen.line(line)


def test_the_replay_leaves_no_trace(tmp_path: Path) -> None:
    source = NET.replace("FORWARD", "torch.log(self.b(h) + self.shift)").replace(
        "LOSS", "F.mse_loss(net(x), y)"
    )
    alone, seen = bare(tmp_path, source)["final"], watched(tmp_path, source).names["final"]
    assert all(a.allclose(b, 0, 0, equal_nan=True) for a, b in zip(alone, seen, strict=True))


def test_a_broken_batch_is_named_as_such(tmp_path: Path) -> None:
    source = NET.replace("FORWARD", "self.b(h)").replace(
        "LOSS", "F.mse_loss(net(x if i < 4 else x * float('inf')), y)"
    )
    (found,) = watched(tmp_path, source).record.of(NonFinite)
    assert found.operation == "input"
    assert found.inputs[0].nonfinite > 0
