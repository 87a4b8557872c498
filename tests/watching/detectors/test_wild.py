"""What scripts from the wild taught: the line to change, sets fed by hand, leaks that are none."""

import os
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from sleuth.places.origins import where_input_made, where_number_written, where_target_made
from sleuth.record.entries import Batch, Evaluation, Loader, LossCall, Metric, Record, Run, Step, Values
from sleuth.watching.rows import Rows
from tests.watching.detectors.records import add, drop, evaluation, found, healthy, serious, spoil
from tests.watching.recording import watched

MEGABYTE = 2**20


def script(folder: Path, text: str) -> Path:
    path = folder / "train.py"
    path.write_text(dedent(text), "utf-8")
    return path


def line_of(path: Path, piece: str) -> int:
    return next(n for n, line in enumerate(path.read_text("utf-8").splitlines(), 1) if piece in line)


def of(path: Path, *items: Any, started: float = 0.0) -> Record:
    return Record((Run(script=str(path), started=started), *items))


MASKS = """
    import torch
    import torch.nn.functional as F
    from torch.utils.data import DataLoader, Dataset

    class Blobs(Dataset):
        def __getitem__(self, i):
            image = torch.from_numpy(self.images[i]).float().div(255)
            mask = torch.from_numpy(self.masks[i]).float()
            return image[None], mask[None]

    for x, m in DataLoader(Blobs(), batch_size=8, shuffle=True):
        loss = F.binary_cross_entropy_with_logits(net(x), m)
"""
SPLIT = """
    import numpy as np
    import torch
    import torch.nn.functional as F
    from sklearn.model_selection import train_test_split
    from torch.utils.data import DataLoader, TensorDataset

    fast = (speed > np.median(weight)).astype(np.int64)
    a, b, ya, yb = train_test_split(weight, fast)
    train = TensorDataset(torch.from_numpy(a), torch.from_numpy(ya))
    for x, y in DataLoader(train, batch_size=8, shuffle=True):
        loss = F.cross_entropy(net(x), y)
"""
COLLATE = """
    import torch.nn.functional as F
    from torch.nn.utils.rnn import pad_sequence
    from torch.utils.data import DataLoader

    def collate(batch):
        ids = pad_sequence([b[0] for b in batch])
        tags = pad_sequence([b[1] for b in batch])
        tags = tags.masked_fill(ids != 0, -100)
        return ids, tags

    for ids, tags in DataLoader(sentences, 8, shuffle=True, collate_fn=collate):
        loss = F.cross_entropy(net(ids), tags)
"""


@pytest.mark.parametrize(
    ("text", "guilty"), [(MASKS, "mask = torch"), (SPLIT, "fast = ("), (COLLATE, "masked_fill")]
)
def test_a_target_is_followed_to_the_line_that_made_it(tmp_path: Path, text: str, guilty: str) -> None:
    path = script(tmp_path, text)
    use = LossCall("cross_entropy", line_of(path, "loss ="), str(path))
    where = where_target_made(of(path), use)
    assert where is not None
    assert where.line == line_of(path, guilty)


def test_a_target_is_followed_into_the_file_of_its_data_set(tmp_path: Path) -> None:
    (tmp_path / "maps.py").write_text(
        dedent(
            """
            import torch
            from torch.utils.data import Dataset

            class Maps(Dataset):
                def __init__(self, maps):
                    self.maps = maps

                def __len__(self):
                    return len(self.maps)

                def __getitem__(self, i):
                    wanted = torch.from_numpy(self.maps[i]).div(255).long()
                    if torch.rand(()) < 0.5:
                        wanted = wanted.flip(-1)
                    return torch.zeros(3), wanted
            """
        )
    )
    path = script(
        tmp_path,
        """
        import torch.nn.functional as F
        from maps import Maps
        from torch.utils.data import DataLoader

        for x, y in DataLoader(Maps(maps), batch_size=8, shuffle=True):
            loss = F.cross_entropy(net(x), y)
        """,
    )
    use = LossCall("cross_entropy", line_of(path, "loss ="), str(path))
    where = where_target_made(of(path), use)
    assert where is not None
    assert (Path(where.path or "").name, where.line) == ("maps.py", line_of(tmp_path / "maps.py", "div(255)"))
    moved = where_target_made(of(path), use, moved=True)
    assert moved is not None
    assert moved.line == line_of(tmp_path / "maps.py", "flip")


def test_raw_inputs_are_found_where_they_become_tensors_not_where_columns_are_joined(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import numpy as np
        import torch
        from torch import nn
        net = nn.Linear(2, 1)
        table = np.stack([pressure, speed], axis=1)
        inputs = torch.from_numpy(table)
        for k in order.split(32):
            out = net(inputs[k])
        """,
    )
    where = where_input_made(of(path), line_of(path, "out ="))
    assert where is not None
    assert where.line == line_of(path, "from_numpy")


def test_an_input_is_followed_to_its_scaling(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import torch
        from torch import nn
        net = nn.Linear(4, 1)
        rows = (table - mean) / spread
        inputs = torch.tensor(rows, dtype=torch.float32)
        for k in order.split(32):
            out = net(inputs[k])
        """,
    )
    where = where_input_made(of(path), line_of(path, "out ="))
    assert where is not None
    assert where.line == line_of(path, "spread")


def test_a_script_that_is_gone_or_changed_since_leaves_the_line_of_use(tmp_path: Path) -> None:
    path = script(tmp_path, SPLIT)
    use = LossCall("cross_entropy", line_of(path, "loss ="), str(path))
    changed = of(path, started=os.stat(path).st_mtime - 100)
    gone = of(tmp_path / "other.py")
    for record, call in ((changed, use), (gone, replace(use, path=str(tmp_path / "other.py")))):
        where = where_target_made(record, call)
        assert where is not None
        assert where.line == use.line


def test_the_size_of_the_training_set_is_found_and_the_batch_size_passed_over(tmp_path: Path) -> None:
    path = script(tmp_path, "BATCH = 24  # batch\nN_TRAIN = 24\n")
    where = where_number_written(of(path), 24, r"^(?!.*batch).*train")
    assert where is not None
    assert where.line == 2
    assert where_number_written(of(path), 25, "train") is None


@pytest.mark.parametrize(
    "text", ["def make(n_train=24, batch_size=32): ...", "make(rows_train=24, batch=8)", "n_train: int = 24"]
)
def test_a_number_is_known_by_its_own_name_beside_others(text: str, tmp_path: Path) -> None:
    path = script(tmp_path, f"WIDTH = 24  # training may need more\n{text}\n")
    where = where_number_written(of(path), 24, r"^(?!.*batch).*train")
    assert where is not None
    assert where.line == 2


def by_hand(share: float, training_rows: int | None, record: Record | None = None, **changes: Any) -> Record:
    """Fed without a loader, and evaluated once, at the end."""
    fed = drop(record or spoil(healthy(), Batch, loader=None), Loader, Evaluation)
    last = evaluation(
        120, loader=None, rows=540, calls=1, seen_in_training=share, training_rows=training_rows
    )
    return add(fed, replace(last, training_rows=training_rows, **changes))


def flags(record: Record) -> Record:
    """Inputs of zeros and ones."""
    return spoil(
        record,
        Batch,
        values=lambda b: tuple(
            replace(v, minimum=0.0, maximum=1.0, mean=0.25, std=0.433) if v.role == "input" else v
            for v in b.values
        ),
    )


def tokens(record: Record, rows: int) -> Record:
    """Whole numbers, and beside them a state of so many rows."""

    def changed(batch: Batch) -> tuple[Values, ...]:
        main, *others = batch.values
        state = replace(main, path="args[1]", shape=(rows, main.shape[0], 48))
        return (replace(main, dtype="torch.int64"), state, *others)

    return spoil(record, Batch, values=changed)


def test_shared_rows_of_a_set_fed_by_hand_and_evaluated_once() -> None:
    (finding,) = serious(found("split-overlap", by_hand(0.5, 900)))
    assert finding.severity == "error"


@pytest.mark.parametrize(
    "record",
    [
        by_hand(0.0, 900),
        by_hand(0.5, 3800),  # most rows came once: training goes on
        by_hand(0.5, None),
        by_hand(0.5, 270),  # all of the training set is among them
        by_hand(0.5, 900, calls=540),  # row by row, as an agent acts
        by_hand(0.5, 900, flags(spoil(healthy(), Batch, loader=None))),
        by_hand(0.5, 900, tokens(spoil(healthy(), Batch, loader=None), 1)),  # with a recurrent state
    ],
)
def test_rows_that_may_meet_for_other_reasons(record: Record) -> None:
    assert not serious(found("split-overlap", record))


def told(values: list[float], name: str = "val loss") -> Record:
    bare = drop(healthy(), Evaluation, Metric)
    return add(bare, *[Metric(name, value, 20 * (n + 1)) for n, value in enumerate(values)])


TURNED = [0.49, 0.53, 0.61, 0.67, 0.72, 0.78]


def test_a_printed_validation_loss_that_turns() -> None:
    (finding,) = serious(found("overfitting", told(TURNED)))
    assert finding.numbers["best"] == TURNED[0]


@pytest.mark.parametrize(
    "record",
    [told(TURNED[::-1]), told(TURNED[:4]), told(TURNED, "train loss"), told(TURNED, "val acc")],
)
def test_other_printed_numbers_do_not(record: Record) -> None:
    assert not serious(found("overfitting", record))


def test_a_loader_made_anew_for_each_pass_is_one_series() -> None:
    bare = drop(healthy(), Evaluation)
    made = [
        Loader(number, 41, "train.py", examples=497, batch_size=497, n=20 * (number - 49))
        for number in range(50, 56)
    ]
    passes = [
        evaluation(20 * n, loader=loader.id, loss=loss)
        for n, (loader, loss) in enumerate(zip(made, TURNED, strict=True), 1)
    ]
    assert serious(found("overfitting", add(bare, *made, *passes)))


def test_a_teacher_asked_in_each_step_holds_nothing_out() -> None:
    bare, rising = drop(healthy(), Evaluation), [0.001 * (n + 1) for n in range(100)]
    often = [evaluation(n, loss=loss) for n, loss in enumerate(rising)]
    seldom = [evaluation(2 * n, loss=loss) for n, loss in enumerate(rising[:50])]
    assert not serious(found("overfitting", add(bare, *often)))
    assert serious(found("overfitting", add(bare, *seldom)))


def small(
    trained_on: int | None, losses: list[float], train: Any = lambda s: 1e-3 + 2 * 0.8**s.n, **changes: Any
) -> Record:
    bare = drop(spoil(healthy(), Step, loss=train), Evaluation)
    passes = [
        evaluation(20 * n, loss=loss, training_rows=trained_on, **changes) for n, loss in enumerate(losses, 1)
    ]
    return add(bare, *passes)


HIGH = [4.0, 5.6, 6.0, 6.2, 6.5]


def test_a_few_rows_learned_by_heart() -> None:
    (finding,) = serious(found("too-little-data", small(24, HIGH)))
    assert finding.numbers["rows"] == 24


def test_five_times_as_many_rows_held_out_as_trained_on() -> None:
    (finding,) = serious(found("too-little-data", small(160, HIGH, rows=1600, correct=0.6)))
    assert finding.numbers["rows"] == 160


def shares(trained_on: int, right: list[float], train: Any = lambda s: 1e-3 + 2 * 0.8**s.n) -> Record:
    """Evaluations that only count right answers."""
    bare = drop(spoil(healthy(), Step, loss=train), Evaluation)
    told = [
        evaluation(20 * n, loss=None, correct=share, training_rows=trained_on, rows=1000)
        for n, share in enumerate(right, 1)
    ]
    return add(bare, *told)


def test_a_few_rows_learned_by_heart_and_others_wrong() -> None:
    (finding,) = serious(found("too-little-data", shares(64, [0.45, 0.48, 0.47, 0.48])))
    assert finding.numbers["held_out"] == 0.48


@pytest.mark.parametrize(
    "record",
    [
        shares(64, [0.45, 0.55, 0.62, 0.7]),  # it still learns
        shares(64, [0.85, 0.86, 0.86, 0.86]),  # few rows suffice
        shares(400, [0.45, 0.48, 0.47, 0.48]),  # not so few
        shares(64, [0.45, 0.48, 0.47, 0.48], lambda s: 0.5 + 2 * 0.8**s.n),  # not known by heart
    ],
)
def test_shares_of_few_rows_that_say_nothing(record: Record) -> None:
    assert not serious(found("too-little-data", record))


def test_a_sum_over_held_out_rows_is_read_as_their_mean() -> None:
    sums = [loss * 0.001 * 50 for loss in HIGH]  # of 50 rows a call, each row as low as training has it
    assert serious(found("too-little-data", small(24, sums)))
    assert not serious(found("too-little-data", small(24, sums, loss_summed=True)))


@pytest.mark.parametrize(
    "record",
    [
        small(1300, HIGH),
        small(160, HIGH, rows=600, correct=0.6),  # as many as one would keep
        small(160, HIGH, rows=1600, correct=0.95),  # and they suffice
        small(None, HIGH),
        small(24, [0.9, 0.5, 0.3, 0.1, 0.002]),  # it follows
        small(24, [4.0, 3.0, 2.2, 1.6, 1.2]),  # it still falls
        small(24, HIGH, lambda s: 1.0),  # nothing was learned at all
    ],
)
def test_few_rows_that_suffice_or_another_trouble(record: Record) -> None:
    assert not serious(found("too-little-data", record))


def test_small_tensors_in_a_list_are_not_worth_a_note() -> None:
    listed = spoil(healthy(), Step, tensors=lambda s: 100 + s.n)
    assert not found("memory-growth", listed)
    felt = spoil(listed, Step, rss=lambda s: 500 * MEGABYTE + 0.2 * MEGABYTE * s.n)
    (note,) = found("memory-growth", felt)
    assert note.severity == "note"


PLAIN = """
import torch
from torch import nn
net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for n in range(160):
    opt.zero_grad()
    loss = net(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    opt.step()
"""


def test_the_recorder_does_not_count_its_own_tensors(tmp_path: Path) -> None:
    counted = [step.tensors for step in watched(tmp_path, PLAIN).record.steps if step.tensors]
    assert len(counted) >= 3
    assert max(counted[1:]) - min(counted[1:]) < 20


def test_different_rows_are_counted() -> None:
    import torch

    rows = Rows()
    assert rows.distinct() is None
    rows.add(torch.tensor([1, 2, 3]))
    rows.add(torch.tensor([3, 4]))
    assert rows.distinct() == 4


DROPPED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = nn.Embedding(5, 8)
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x, kind):
        h = self.body(x)
        e = self.kind(kind)
        return self.head(torch.relu(h + REST))

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for n in range(12):
    opt.zero_grad()
    loss = net(torch.randn(8, 4), torch.randint(0, 5, (8,))).pow(2).mean()
    loss.backward()
    opt.step()
"""


def test_a_result_that_nobody_reads_is_no_cut_path(tmp_path: Path) -> None:
    seen = watched(tmp_path, DROPPED.replace("REST", "0"))
    assert not found("detached-graph", seen.record)
    (finding,) = serious(found("unused-parameters", seen.record))
    assert finding.where is not None
    assert finding.where.line == seen.line("e = self.kind")


def test_a_cut_path_is_no_result_that_nobody_reads(tmp_path: Path) -> None:
    seen = watched(tmp_path, DROPPED.replace("REST", "e.detach()"))
    assert serious(found("detached-graph", seen.record))
    assert not serious(found("unused-parameters", seen.record))


def two_humps(path: Path, text: str) -> Record:
    """Inputs from 0 to 1, dark and bright, as digits are and as wrapped bytes are."""
    path.write_text(text, "utf-8")
    record = spoil(healthy(), Step, path=str(path))
    return spoil(
        record,
        Batch,
        values=lambda b: tuple(
            replace(v, minimum=0.0, maximum=1.0, mean=0.3, std=0.376) if v.role == "input" else v
            for v in b.values
        ),
    )


def test_bright_and_dark_inputs_are_suspected_only_where_bytes_are_spoken_of(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    assert found("input-dtype-overflow", two_humps(path, "x = (b - a).astype('uint8')\n"))
    assert not found("input-dtype-overflow", two_humps(path, "x = digits / 16\n"))


REUSED = """
def train(model):
    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.05)
    for n in range(12):
        opt.zero_grad()
        F.cross_entropy(model(torch.randn(16, 20)), torch.randint(0, 5, (16,))).backward()
        opt.step()

base = nn.Linear(20, 64)
train(nn.Sequential(base, nn.ReLU(), nn.Linear(64, 5)))
new = nn.Sequential(base, nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))
for name, p in new.named_parameters():
    if FROZEN:
        p.requires_grad = False
train(new)
"""


def test_a_new_layer_frozen_beside_a_trained_one(tmp_path: Path) -> None:
    seen = watched(tmp_path, REUSED.replace("FROZEN", 'not name.startswith("4")'))
    (finding,) = serious(found("frozen-params", seen.record))
    assert finding.where is not None
    assert finding.where.module == "2"
    assert finding.where.line == seen.line("requires_grad = False")


def test_a_trained_layer_may_rest(tmp_path: Path) -> None:
    seen = watched(tmp_path, REUSED.replace("FROZEN", 'name.startswith("0")'))
    assert not serious(found("frozen-params", seen.record))
