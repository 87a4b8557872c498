"""Scripts whose step could not be taken out once: padded embeddings, data written down in the script."""

from pathlib import Path

import torch

from sleuth.lab.capture import Captured, capture
from sleuth.measure.workbench import Workbench
from sleuth.probing import bench_of

torch.set_num_threads(1)


def examined(folder: Path, text: str) -> list[Workbench]:
    script = folder / "train.py"
    script.write_text(text)
    benches: list[Workbench] = []

    def look(seen: Captured) -> None:
        benches.append(bench_of(seen))
        assert not benches[-1].failure

    ending = capture(script, examine=look)
    assert ending.error is None
    return benches


PADDED = """
import torch
from torch import nn
emb, head = nn.Embedding(9, 4, padding_idx=0), nn.Linear(4, 2)
opt = torch.optim.SGD([*emb.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randint(0, 9, (32, 5)), torch.randint(0, 2, (32,))
loss = nn.functional.cross_entropy(head(emb(x).mean(1)), y)
loss.backward()
opt.step()
"""
SMALL = """
import torch
from torch import nn
x = torch.tensor([[0.1 * i, 1.0 - i] for i in range(40)])
y = torch.tensor([float(i % 3) for i in range(40)])
weights = torch.tensor([1.0, 2.0])
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
loss = (model(x * weights).squeeze(1) - y).pow(2).mean()
loss.backward()
opt.step()
"""


def test_a_script_with_padded_embeddings_can_be_examined(tmp_path: Path) -> None:
    assert len(examined(tmp_path, PADDED)) == 1


def test_a_small_set_written_down_in_the_script_is_data(tmp_path: Path) -> None:
    (bench,) = examined(tmp_path, SMALL)
    assert {(part.role, part.shape) for part in bench.data.tensors} == {("input", (40, 2)), ("target", (40,))}
