"""From numbers to the line: records and sources made by hand."""

from pathlib import Path

import pytest

from sleuth.diagnosis.lines import placed
from sleuth.finding import Finding, Where
from sleuth.record.entries import (
    Batch,
    Keeper,
    Layer,
    Layers,
    Model,
    NonFinite,
    Optimizer,
    Parameter,
    Record,
    Step,
)
from sleuth.source.script_files import optimizers_in


def found(cause: str, module: str | None = None, line: int | None = None) -> Finding:
    return Finding("seen", where=Where("train.py", line, module=module), cause=cause, technique="probe")


def line_of(finding: Finding, record: Record, *sources: Path) -> int | None:
    [better] = placed([finding], record, list(sources))
    return better.where.line if better.where is not None else None


def model(*layers: Layer, parameters: tuple[Parameter, ...] = ()) -> Record:
    return Record((Model(1, "Sequential", layers=layers, parameters=parameters),))


def test_initial_values_point_at_who_wrote_them() -> None:
    wild = Parameter("a.weight", (8, 8), std=3.0, line=20, path="train.py")
    tame = Parameter("b.weight", (8, 8), std=0.3, line=30, path="train.py")
    record = model(Layer("a", "Linear", 5), Layer("b", "Linear", 6), parameters=(tame, wild))
    assert line_of(found("bad-init-scale", "b"), record) == 20
    assert line_of(found("bad-init-scale", "a", 9), record) == 20


def test_a_modest_scale_counts_where_its_layer_is_named() -> None:
    tame = Parameter("cell.weight", (8, 8), std=0.4, line=12, path="train.py")
    record = model(Layer("cell", "Linear", 10), parameters=(tame,))
    assert line_of(found("bad-init-scale", "cell", 18), record) == 12
    assert line_of(found("bad-init-scale", "other", 18), record) == 18


def test_a_start_far_off_points_at_the_layer_that_gives_the_output() -> None:
    weights = (Parameter("body.weight", (8, 3)), Parameter("top.weight", (1, 8)))
    layers = (Layer("body", "Linear", 18), Layer("act", "Tanh", 19), Layer("top", "Linear", 20))
    assert line_of(found("init-loss-off", line=40), model(*layers, parameters=weights)) == 20


def test_layers_in_a_row_point_at_where_they_were_made_and_others_at_their_call() -> None:
    row = model(Layer("0", "Linear", 4), Layer("1", "Linear", 5))
    assert line_of(found("missing-nonlinearity", "1", 30), row) == 5
    inside = Record((Model(1, "Net", layers=(Layer("fc", "Linear", 4),)),))
    assert line_of(found("missing-nonlinearity", "fc", 30), inside) == 30


def test_a_shared_layer_points_at_its_second_call(tmp_path: Path) -> None:
    script = tmp_path / "net.py"
    script.write_text(
        "class Net:\n    def forward(self, a, b):\n        u = self.tower(a)\n"
        "        v = self.tower(b)\n        return u - v\n"
    )
    assert line_of(found("shared-layer-misuse", "tower.0"), Record(()), script) == 4
    assert line_of(found("shared-layer-misuse", "other"), Record(()), script) is None


def test_a_summed_loss_is_found_where_nothing_says_its_line(tmp_path: Path) -> None:
    script = tmp_path / "net.py"
    script.write_text("hits = (a == b).sum()\ndef cost(a, b):\n    return (a - b).pow(2).sum(-1).sum()\n")
    unplaced = Finding("seen", cause="wrong-reduction", technique="probe")
    assert line_of(unplaced, Record(()), script) == 3
    assert line_of(found("wrong-reduction", line=9), Record(()), script) == 9


def test_a_setting_is_found_beside_its_name(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("epochs = 3\nlr = 3.0\nsize = 3\n")
    record = Record((Optimizer(1, "SGD", lr=3.0, line=9), Step(0, optimizer=1)))
    assert line_of(found("lr-too-high", line=9), record, script) == 2


def test_overfitting_points_at_a_regulariser_that_is_off_or_at_the_optimizer(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    record = Record((Optimizer(1, "Adam", lr=0.1, line=9, path=str(script)), Step(0, optimizer=1)))
    script.write_text("start = 0\nkeep = frame.drop(0)\ndropout: float = 0.0\n")
    assert line_of(found("overfitting", line=30), record, script) == 3
    script.write_text("start = 0\nkeep = frame.drop(0)\n")
    assert line_of(found("overfitting", line=30), record, script) == 9


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("size = 12\nmax_steps: int = 12\n", 2),
        ("size = 4\nlog_every = 3\nadd('--epochs', type=int, default=3)\n", 3),  # 12 steps are 3 times 4
        ("size = 12\n", 30),
    ],
)
def test_a_run_too_short_points_at_what_says_how_long_it_is(tmp_path: Path, text: str, line: int) -> None:
    script = tmp_path / "train.py"
    script.write_text(text)
    record = Record(tuple(Step(n, loss_line=30) for n in range(12)))
    assert line_of(found("undertrained", line=30), record, script) == line


TABLE = """
y = table["churned"].map({"yes": 1}).fillna(0)
X = table.drop(columns=["churned"])
data = torch.tensor(y)
def level(kind): return kind - kind
labels = [IGNORE] * len(prompt) + ids[len(prompt):]
kv = torch.einsum("bhtd,bhte->bhde", k, v)
kv = torch.einsum("bhtd,bhte->hde", k, v)
mixed = torch.einsum("bd,dk->k", x, w)
train, test = train_test_split(table, shuffle=False)
"""


@pytest.mark.parametrize(
    ("cause", "line", "told"),
    [
        ("labels-constant", 4, 2),
        ("target-leakage", 4, 3),
        ("labels-constant", 5, 5),
        ("labels-all-ignored", 4, 6),
        ("batch-mixing", 1, 8),
        ("unstratified-split", 0, 10),
    ],
)
def test_a_line_that_only_hands_on_gives_way_to_the_one_that_made_it(
    tmp_path: Path, cause: str, line: int, told: int
) -> None:
    script = tmp_path / "train.py"
    script.write_text(TABLE)
    where = Where(str(script), line) if line else None
    placed_at = Finding("seen", where=where, cause=cause, technique="watch")
    assert line_of(placed_at, Record(()), script) == told


def test_parts_left_out_point_at_the_largest_that_rests_as_a_whole() -> None:
    layers = (
        Layer("context", "Encoder", 48),
        Layer("context.hour", "Embedding", 35),
        Layer("user", "Embedding", 46),
    )
    slopes = {"user.weight": 1.0, "context.hour.weight": None, "context.day.weight": None}
    record = Record((*model(*layers).items, Layers(1, gradients=slopes)))
    assert line_of(found("unused-parameters", "context.hour", 35), record) == 48
    busy = Record((*model(*layers).items, Layers(1, gradients={**slopes, "context.day.weight": 0.5})))
    assert line_of(found("unused-parameters", "context.hour", 35), busy) == 35


def test_optimizers_are_counted_by_the_calls_of_their_function(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\ndef fit(net):\n    opt = torch.optim.Adam(net.parameters())\n"
        "fit(teacher)\nfit(student)\nother = torch.optim.SGD(head.parameters(), 0.1)\n"
    )
    assert optimizers_in([script]) == 3


def test_parameters_left_out_point_at_the_filter_before_the_optimizer(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "def build(model):\n"
        "    named = list(model.named_parameters())\n"
        "    decay = [p for name, p in named if p.ndim > 1]\n"
        "    plain = [p for name, p in named if name.endswith('bias')]\n"
        "    groups = [decay, plain]\n"
        "    return Adam(groups)\n"
        "opt = SGD(head.parameters())\n"
    )
    steps = (Step(0, optimizer=1),)
    filtered = Record((Optimizer(1, "Adam", line=6, path="train.py"), *steps))
    plain = Record((Optimizer(1, "SGD", line=7, path="train.py"), *steps))
    assert line_of(found("params-not-in-optimizer", "head", 20), filtered, script) == 4
    assert line_of(found("params-not-in-optimizer", "head", 20), plain, script) == 7


def test_bare_weights_that_start_alike_point_at_where_they_are_made(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\nmask = torch.ones(4, 4)\ndef dense(n, m):\n    w = torch.zeros(n, m)\n"
        "    return w.requires_grad_()\nlayers = [dense(3, 4), dense(4, 1)]\n"
    )
    nowhere = Finding("seen", where=Where(), cause="zero-init", technique="probe")
    assert line_of(nowhere, Record(()), script) == 4
    assert line_of(found("zero-init", "body.0", 9), Record(()), script) == 9


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = read()\nfit, valid = (Soils(part) for part in PARTS)\norder = randperm(9)\n", 2),
        ("x = read()\nfor e in range(3):\n    rows = randperm(9)\norder = torch.randperm(len(x))\n", 4),
    ],
)
def test_shared_rows_point_at_the_parts_or_at_the_order_they_are_cut_from(
    text: str, line: int, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(text)
    assert line_of(found("split-overlap", line=40), Record(()), script) == line


def test_shared_rows_point_at_a_split_of_ones_own(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "x, y = read()\nx, y = oversample(x, y)\n(xtr, ytr), (xte, yte) = cut_and_split(x, y)\n"
        "for a, b in order.split(8), rest:\n    first, rest = a.split(2)\n"
    )
    assert line_of(found("split-overlap", line=40), Record(()), script) == 3


SNR = """
import torch
def clips(n):
    wave = torch.randn(n)
    return wave / wave.norm()
def snr(est, ref):
    energy = ref.pow(2).sum(-1)
    scaled = (est * ref).sum(-1) / energy
    share = scaled / (est.norm() + 1e-8)
    return torch.log10(share.clamp(min=1e-6)) + (1 - share).log()
data = clips(8)
for _ in range(9):
    loss = -snr(model(data), data).mean()
    loss.backward()
"""


@pytest.mark.parametrize(("operation", "line"), [("div", 8), ("log", 10)])
def test_a_pole_in_a_loss_by_hand_is_found_where_nothing_guards_it(
    tmp_path: Path, operation: str, line: int
) -> None:
    script = tmp_path / "train.py"
    script.write_text(SNR)
    record = Record((NonFinite(3, operation=operation, line=14, replayed=True), Step(3, loss_line=14)))
    assert line_of(found("unsafe-log-div", line=14), record, script) == line
    assert line_of(found("unsafe-log-div", line=6), record, script) == 6  # the operation's own line


BY_SOURCE = {
    "a layer that two calls of a method share": (
        "shared-layer-misuse",
        (
            "class M:\n"
            "    def embed(self, x):\n"
            "        return self.encoder(x)\n"
            "    def training_step(self, a, b):\n"
            "        return self.embed(a), self.embed(b)\n"
        ),
        5,
    ),
    "parameters that are put back in": (
        "frozen-params",
        "def thaw(part, flag):\n    for child in part.children():\n        child.requires_grad = flag\n",
        3,
    ),
    "parameters that are taken out": (
        "frozen-params",
        "def thaw(p):\n    p.requires_grad = True\n\nfor p in net.values():\n    p.requires_grad = False\n",
        5,
    ),
    "rows chosen by a class of one's own": (
        "split-overlap",
        (
            'train_set = Patches(archive, "train")\ntest_set = Patches(archive, "test")\n'
            "test_loader = DataLoader(test_set)\n"
        ),
        2,
    ),
    "a cache without an end": (
        "memory-growth",
        "rows = []\nclass D:\n    @lru_cache(maxsize=None)\n    def crop(self, i): return self.read(i)\n",
        3,
    ),
    "an order as it stands": (
        "unshuffled-training",
        ("order = torch.arange(len(x))\nfor i in range(0, len(x), 32):\n    take = order[i:i + 32]\n"),
        1,
    ),
    "batches cut as they come": (
        "unshuffled-training",
        "n = len(x)\nfor i in range(0, n, 32):\n    xb, yb = x[i:i + 32], y[i:i + 32]\n",
        3,
    ),
    "a margin": (
        "loss-saturated",
        "def triplet(a, p, n, margin):\n    return F.relu(near(a, p) - far(a, n) - margin).mean()\n",
        2,
    ),
    "of two caches that of tensors": (
        "memory-growth",
        (
            "@functools.cache\ndef window(n: int): return hann(n)\n"
            "@functools.lru_cache(maxsize=None)\n"
            "def spectrum(waves, n=8): return stft(waves.float(), window(n))\n"
        ),
        3,
    ),
    "a table that is filled": (
        "memory-growth",
        "def read(key):\n    if key not in CACHE:\n        CACHE[key] = load(key)\n    return CACHE[key]\n",
        3,
    ),
}


@pytest.mark.parametrize("name", BY_SOURCE)
def test_the_source_says_where_numbers_do_not(name: str, tmp_path: Path) -> None:
    cause, text, line = BY_SOURCE[name]
    (tmp_path / "train.py").write_text(text)
    module = "encoder.conv" if cause == "shared-layer-misuse" else None
    finding = Finding(
        "seen", where=Where(None, module=module) if module else None, cause=cause, technique="probe"
    )
    assert line_of(finding, Record(()), tmp_path / "train.py") == line


def test_steps_lost_in_small_weights_point_at_where_they_are_made_small(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("net = Net()\nwith autocast('cpu', torch.bfloat16):\n    pass\nnet.to(torch.bfloat16)\n")
    for kind, line in (("bfloat16", 4), ("float16", 9), ("float32", 9)):
        lost = Finding("seen", where=Where("train.py", 9), cause="update-underflow", numbers={"dtype": kind})
        assert line_of(lost, Record(()), path) == line


KEPT = """
class Meter:
    def __init__(self):
        self.total = 0.0
    def update(self, value):
        self.total = 0.9 * self.total + 0.1 * value
history = []
for x in rows:
    history.append(net(x))
    table[x] = history
"""


@pytest.mark.parametrize(
    ("name", "line"), [("self.meter.total", 6), ("history", 9), ("table['a']", 10), ("elsewhere", 30)]
)
def test_tensors_that_pile_up_point_at_what_puts_more_on_the_pile(
    name: str, line: int, tmp_path: Path
) -> None:
    path = tmp_path / "train.py"
    path.write_text(KEPT)
    assert line_of(found("memory-growth", line=30), Record((Keeper(name, "list", 500),)), path) == line


SERVED = """\
class Rows(Dataset):
    def __init__(self, frame):
        x, y = frame[TAGS], frame[TARGET]
        self.x = torch.tensor(x.to_numpy())
        self.y = torch.tensor(y.to_numpy())

    def __getitem__(self, i):
        return self.x[i], self.y[i]
"""


@pytest.mark.parametrize(
    ("cause", "line", "wanted"),
    [("inputs-unnormalized", 30, 4), ("inputs-unnormalized", 21, 21), ("lr-too-high", 30, 30)],
)
def test_inputs_point_at_where_a_data_set_stores_them(
    cause: str, line: int, wanted: int, tmp_path: Path
) -> None:
    path = tmp_path / "train.py"
    path.write_text(SERVED)
    assert line_of(found(cause, line=line), Record((Batch(0, line=30),)), path) == wanted
    path.write_text(SERVED + SERVED.replace("Rows", "Others"))
    assert line_of(found(cause, line=line), Record((Batch(0, line=30),)), path) == line


def test_a_memory_without_an_end_is_pointed_at_where_nobody_else_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("import functools\nread = functools.lru_cache(maxsize=None)(load)\n")
    assert line_of(found("memory-growth", line=30), Record(()), path) == 2
    path.write_text("import functools\nread = functools.lru_cache(maxsize=64)(load)\n")
    assert line_of(found("memory-growth", line=30), Record(()), path) == 30


DEPTH = tuple(Layer(f"{n}", "Tanh" if n % 2 else "Linear", 5 if n < 2 else 7, "net.py") for n in range(10))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("acts = {'tanh': nn.Tanh}\nif a.act == 'tanh':\n    pass\n", 7),  # names looked up, none chosen
        ("p.add_argument('--act',\n    choices=['relu', 'tanh'],\n    default='tanh')\n", 3),
        ("acts = {'tanh': nn.Tanh}\nCONFIG = {'depth': 9,\n    'activation': 'Tanh'}\n", 3),
        ("def net(depth,\n        act='tanh'): ...\n", 2),
    ],
)
def test_fading_gradients_point_at_where_the_squashing_units_come_from(
    text: str, line: int, tmp_path: Path
) -> None:
    path = tmp_path / "net.py"
    path.write_text(text)
    assert line_of(found("vanishing-gradients", "0"), model(*DEPTH), path) == line


def test_fading_gradients_without_squashing_units_point_at_the_stack() -> None:
    rows = tuple(Layer(f"{n}", "Linear", 5 if n < 2 else 7, "net.py") for n in range(10))
    gate = Layer("gate", "Sigmoid", 20, "net.py")
    assert line_of(found("vanishing-gradients", "0"), model(*rows, gate)) == 7


def test_a_term_that_drowns_others_points_at_its_weight(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("sizes = [5.0]\ndef train(lr=0.1,\n        box_weight=5.0): ...\n")
    heavy, plain = (
        Finding(
            "seen", where=Where("train.py", 64), numbers={"weight": weight}, cause="loss-terms-imbalanced"
        )
        for weight in (5.0004, 1.0002)
    )
    assert line_of(heavy, Record(()), path) == 3
    assert line_of(plain, Record(()), path) == 64
