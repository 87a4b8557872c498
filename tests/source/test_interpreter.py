"""The abstract run: what it sees of programs in many styles, each with a known answer."""

import ast
import random
import sysconfig
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.source.flow import ancestry, layer, makers, number
from sleuth.source.interpreter.values import Call, Carried
from sleuth.source.parsed_file import Project, UnreadableSource, parse_source, read_source
from sleuth.source.program import Program, read_program


def program(code: str, path: str = "train.py") -> Program:
    return read_program(parse_source(path, textwrap.dedent(code), repair=True), Project())


def events(code: str) -> list[str]:
    """The training events that matter to order, as words."""
    return [event.kind for event in program(code).training.events if event.kind != "forward"]


def loss_makers(code: str) -> list[list[str]]:
    """For every loss: the names of the operations that made its input."""
    return [[layer(maker) for maker in makers(use.input)] for use in program(code).losses]


STYLES = {
    "module level": """
        import torch
        from torch import nn, optim
        model = nn.Linear(2, 2)
        opt = optim.SGD(model.parameters(), lr=0.1)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
        """,
    "aliases": """
        import torch.nn as N
        import torch.nn.functional as FF
        from torch.optim import AdamW as Opt
        net = N.Linear(2, 2)
        o = Opt(net.parameters())
        for batch in data:
            o.zero_grad()
            err = FF.mse_loss(net(batch[0]), batch[1])
            err.backward()
            o.step()
        """,
    "functions called from main": """
        import torch
        def make():
            net = torch.nn.Linear(2, 2)
            return net, torch.optim.Adam(net.parameters())
        def update(net, o, x, y):
            o.zero_grad()
            loss = torch.nn.functional.mse_loss(net(x), y)
            loss.backward()
            o.step()
        def main():
            net, o = make()
            for x, y in loader:
                update(net, o, x, y)
        if __name__ == "__main__":
            main()
        """,
    "trainer class": """
        import torch
        class Trainer:
            def __init__(self, net):
                self.net = net
                self.opt = torch.optim.Adam(net.parameters())
                self.criterion = torch.nn.MSELoss()
            def fit(self, loader):
                for x, y in loader:
                    self._step(x, y)
            def _step(self, x, y):
                self.opt.zero_grad()
                self.criterion(self.net(x), y).backward()
                self.opt.step()
        Trainer(torch.nn.Linear(2, 2)).fit(loader)
        """,
    "trainer class nobody makes": """
        import torch
        class Trainer:
            def __init__(self, net):
                self.net = net
                self.opt = torch.optim.Adam(net.parameters())
            def fit(self, loader):
                for x, y in loader:
                    self.opt.zero_grad()
                    torch.nn.functional.mse_loss(self.net(x), y).backward()
                    self.opt.step()
        """,
    "closure": """
        import torch
        opt = torch.optim.LBFGS(net.parameters())
        for _ in range(10):
            def closure():
                opt.zero_grad()
                loss = torch.nn.functional.mse_loss(net(x), y)
                loss.backward()
                return loss
            opt.step(closure)
        """,
    "a fragment without imports": """
        for inputs, labels in trainloader:
            optimizer.zero_grad()
            outputs = net(inputs)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()
        """,
    "scaled": """
        import torch
        scaler = torch.amp.GradScaler()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            opt.zero_grad()
            scaler.scale(loss_fn(net(x), y)).backward()
            scaler.step(opt)
            scaler.update()
        """,
    "by hand": """
        import torch
        for x, y in loader:
            for p in net.parameters():
                p.grad = None
            loss = loss_fn(net(x), y)
            loss.backward()
            with torch.no_grad():
                for p in net.parameters():
                    p -= 0.1 * p.grad
        """,
    "enumerate, tqdm and a dataclass of settings": """
        import torch
        from dataclasses import dataclass
        from tqdm import tqdm
        @dataclass
        class Config:
            lr: float = 0.1
        cfg = Config()
        opt = torch.optim.SGD(net.parameters(), lr=cfg.lr)
        for epoch in range(3):
            for i, (x, y) in enumerate(tqdm(loader)):
                opt.zero_grad()
                loss_fn(net(x), y).backward()
                opt.step()
        """,
}


@pytest.mark.parametrize("code", STYLES.values(), ids=STYLES)
def test_the_loop_is_seen_in_every_style(code: str) -> None:
    assert events(code) == ["zero_grad", "backward", "step"]
    (loop,) = program(code).training.loops
    assert [event.kind for event in loop.of("zero_grad", "backward", "step")] == [
        "zero_grad",
        "backward",
        "step",
    ]


HEADS = {
    "in nn.Sequential": """
        from torch import nn
        net = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))
        loss = nn.CrossEntropyLoss()(net(x), y)
        """,
    "in another class": """
        import torch
        from torch import nn
        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2, 3)
                self.act = nn.Softmax(dim=1)
            def forward(self, x):
                return self.act(self.fc(x))
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = Head()
            def forward(self, x):
                return self.head(x)
        loss = torch.nn.functional.cross_entropy(Net()(x), y)
        """,
    "in a parent class": """
        from torch import nn
        class Base(nn.Module):
            def forward(self, x):
                return nn.Softmax(dim=1)(self.body(x))
        class Net(Base):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(2, 3)
        loss = nn.CrossEntropyLoss()(Net()(x), y)
        """,
    "through a list of layers": """
        from torch import nn
        layers = [nn.Linear(2, 3)]
        layers.append(nn.Softmax(dim=1))
        loss = nn.CrossEntropyLoss()(nn.Sequential(*layers)(x), y)
        """,
    "through nn.ModuleList, by loop": """
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(2, 3)])
                self.layers.append(nn.Softmax(dim=1))
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
        loss = nn.CrossEntropyLoss()(Net()(x), y)
        """,
    "through nn.Sequential, by index": """
        from torch import nn
        blocks = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))
        loss = nn.CrossEntropyLoss()(blocks[-1](blocks[0](x)), y)
        """,
    "through a dict and a helper": """
        import torch, torch.nn.functional as F
        def predict(net, x):
            return {"probs": torch.nn.Softmax(dim=1)(net(x))}
        out = predict(net, x)
        loss = F.cross_entropy(out["probs"].squeeze(1), y)
        """,
    "through a property and a tuple": """
        import torch
        from torch import nn
        class Net(nn.Module):
            @property
            def act(self):
                return nn.Softmax(dim=1)
            def forward(self, x):
                return self.act(x), x
        probs, _ = Net()(x)
        loss = nn.CrossEntropyLoss()(probs, y)
        """,
}


@pytest.mark.parametrize("code", HEADS.values(), ids=HEADS)
def test_the_head_is_followed_to_the_loss(code: str) -> None:
    assert ["torch.nn.Softmax"] in loss_makers(code)


def test_a_branch_leaves_both_possibilities() -> None:
    code = """
        import torch, torch.nn.functional as F
        out = net(x)
        if flag:
            out = torch.softmax(out, 1)
        loss = F.cross_entropy(out, y)
        """
    (names,) = loss_makers(code)
    assert "torch.softmax" in names
    assert len(names) == 2


def test_what_the_source_decides_is_decided() -> None:
    code = """
        import torch
        def run(net, loader, optimizer=None):
            for x, y in loader:
                loss = loss_fn(net(x), y)
                if optimizer is not None:
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        net = torch.nn.Linear(2, 2)
        for phase in ("train", "val"):
            if phase == "train":
                net.train()
                run(net, a, torch.optim.SGD(net.parameters(), lr=0.1))
            else:
                net.eval()
                run(net, b)
        """
    assert events(code) == ["train", "zero_grad", "backward", "step", "eval"]


def test_no_grad_is_known_from_with_decorator_and_switch() -> None:
    code = """
        import torch
        with torch.no_grad():
            a = f(x)
        @torch.inference_mode()
        def g(x):
            return h(x)
        g(x)
        torch.set_grad_enabled(False)
        b = k(x)
        torch.set_grad_enabled(True)
        c = m(x)
        """
    seen = {
        ast.unparse(call.node.func): call.context.grad
        for call in program(code).trace
        if isinstance(call.node, ast.Call) and call.op == "()"
    }
    assert seen == {"f": False, "h": False, "k": False, "m": True}


def test_a_variable_carried_round_a_loop_is_known_as_such() -> None:
    code = """
        import torch
        rnn = torch.nn.GRU(2, 2)
        h = torch.zeros(1)
        for x in data:
            out, h = rnn(x, h)
        """
    (call,) = [call for call in program(code).trace if call.op == "()"]
    carried = call.args[1]
    assert isinstance(carried, Carried)
    assert isinstance(carried.initial, Call)
    assert carried.initial.op == "torch.zeros"
    assert any(value is call for value in ancestry(carried.final))


def test_numbers_are_folded() -> None:
    code = """
        import torch
        base = 1e-3
        opt = torch.optim.Adam(net.parameters(), lr=base * 2)
        """
    (call,) = program(code).calls("torch.optim.Adam")
    assert number(call.keywords["lr"]) == pytest.approx(2e-3)


def test_generators_and_comprehensions_hand_on_their_items() -> None:
    code = """
        import torch.nn.functional as F
        from torch import nn
        def batches():
            for i in range(3):
                yield data[i]
        net = nn.Sequential(*[nn.Linear(2, 2) for _ in range(3)], nn.Softmax(dim=1))
        for x in batches():
            F.cross_entropy(net(x), y)
        """
    assert loss_makers(code) == [["torch.nn.Softmax"]]


def test_local_files_are_followed_through_re_exports(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("from .net import Net\n")
    (package / "net.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        return torch.softmax(x, 1)\n"
    )
    script = tmp_path / "train.py"
    script.write_text("import torch.nn.functional as F\nfrom pkg import Net\nF.cross_entropy(Net()(x), y)\n")
    (use,) = read_program(read_source(script), Project()).losses
    (maker,) = makers(use.input)
    assert maker.op == "torch.softmax"
    assert maker.source is not None
    assert maker.source.path.endswith("net.py")


def test_endless_recursion_ends() -> None:
    code = """
        import torch
        def f(x):
            return g(x)
        def g(x):
            return f(x)
        f(1)
        class A(torch.nn.Module):
            def forward(self, x):
                return A()(x)
        A()(1)
        """
    assert program(code).scene.complete


STDLIB_TESTS = sorted(Path(sysconfig.get_paths()["stdlib"], "test").glob("test_*.py"))


@pytest.mark.parametrize("offset", range(2))
def test_foreign_code_never_crashes_the_interpreter(offset: int) -> None:
    """A sample of the standard library's own tests, which hold every kind of syntax there is."""
    for path in STDLIB_TESTS[offset::40]:
        try:
            source = read_source(path)
        except UnreadableSource:
            continue
        # The words that make a file interesting are put in, or nothing would be run.
        source.text += "\n# torch loss backward"
        read_program(source, Project()).training  # noqa: B018


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(sorted(STYLES)))
def test_mutated_programs_never_crash_the_interpreter(seed: int, style: str) -> None:
    """Lines dropped, doubled, swapped and cut: read as far as they go, or refused."""
    rng = random.Random(seed)
    lines = textwrap.dedent(STYLES[style]).splitlines()
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(lines))
        match rng.randrange(4):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, lines[rng.randrange(len(lines))])
            case 2:
                lines[place] = lines[place][: rng.randint(0, len(lines[place]))]
            case 3:
                lines[place] = " " * rng.randint(0, 8) + lines[place].lstrip()
    try:
        source = parse_source("a.py", "\n".join(lines), repair=True)
    except UnreadableSource:
        return
    seen = read_program(source, Project())
    assert seen.scene.complete
    assert seen.training is not None
