"""For every cause a probe can see: a small subject that has it and one that does not."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, TensorDataset

Made = dict[str, Any]
CASES: dict[str, tuple[Callable[[], Made], Callable[[], Made]]] = {}


def seeded(n: int = 64, width: int = 6, classes: int = 3) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(n, width, generator=generator)
    return x, (x[:, 0] * 1.5 + x[:, 1] > 0).long() + (x[:, 2] > 0.5).long() * (classes > 2)


def mlp(inside: int = 6, outside: int = 3, *tail: nn.Module) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(inside, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, outside), *tail
    )


def loader_of(x: Tensor, y: Tensor, size: int = 64, shuffle: bool = False) -> DataLoader[Any]:
    return DataLoader(TensorDataset(x, y), batch_size=size, shuffle=shuffle)


def classify(
    x: Tensor | None = None, y: Tensor | None = None, model: nn.Module | None = None, **more: Any
) -> Made:
    a, b = seeded()
    batch = (a if x is None else x, b if y is None else y)
    return {"model": model or mlp(), "batch": batch, "loss_fn": nn.CrossEntropyLoss(), **more}


def regress(model: nn.Module, **more: Any) -> Made:
    x, _ = seeded()
    return {"model": model, "batch": (x, x[:, :1] * 2 - 1), "loss_fn": nn.MSELoss(), **more}


def full(shift: float = 0.0) -> Made:
    x, y = seeded(600)
    return classify(x[:64], y[:64], loader=loader_of(x + shift, y))


class Parts(nn.Module):
    """A model whose forward is given."""

    def __init__(self, forward: Callable[..., Any], **parts: nn.Module) -> None:
        super().__init__()
        for name, part in parts.items():
            self.add_module(name, part)
        self.run = forward

    def forward(self, *given: Any, **named: Any) -> Any:
        return self.run(self, *given, **named)


def parts(forward: Callable[..., Any], **modules: Callable[[], nn.Module]) -> Parts:
    torch.manual_seed(0)
    return Parts(forward, **{name: make() for name, make in modules.items()})


def case(slug: str, bad: Callable[[], Made], good: Callable[[], Made] = classify) -> None:
    CASES[slug] = (bad, good)


# data
def _holes() -> Made:
    x, y = seeded()
    x[3, 2] = float("nan")
    return classify(x, y)


def _copied_column() -> Made:
    x, _ = seeded()
    return {"model": mlp(6, 1), "batch": (x, x[:, 4:5] * 3 + 1), "loss_fn": nn.MSELoss()}


def _clusters(shuffled: bool) -> Made:
    generator = torch.Generator().manual_seed(1)
    y = torch.randint(4, (800,), generator=generator)
    x = 3 * torch.eye(6)[y] + 0.3 * torch.randn(800, 6, generator=generator)
    labels = y[torch.randperm(800, generator=generator)] if shuffled else y
    return classify(x[:64], labels[:64], mlp(6, 4), loader=loader_of(x, labels))


def _imbalanced(weight: bool) -> Made:
    x, _ = seeded(600)
    y = (torch.arange(600) % 30 == 0).long()
    loss = nn.CrossEntropyLoss(weight=torch.tensor([0.5, 15.0]) if weight else None)
    return {"model": mlp(6, 2), "batch": (x[:64], y[:64]), "loss_fn": loss, "loader": loader_of(x, y)}


def _overlap(shared: bool) -> Made:
    x, y = seeded(400)
    val = loader_of(x[:100], y[:100]) if shared else loader_of(x[300:], y[300:])
    return classify(x[:64], y[:64], loader=loader_of(x[:300], y[:300]), val_loader=val)


def _scaled_together(together: bool) -> Made:
    x, y = seeded(400)
    x = x * 3 + 2
    part = x if together else x[:300]
    x = (x - part.mean(0)) / part.std(0, unbiased=False)
    return classify(
        x[:64], y[:64], loader=loader_of(x[:300], y[:300]), val_loader=loader_of(x[300:], y[300:])
    )


def _sorted_split(mixed: bool) -> Made:
    x, y = seeded(600)
    order = torch.arange(600) if mixed else y.argsort(stable=True)
    x, y = x[order], y[order]
    return classify(
        x[:64], y[:64], loader=loader_of(x[:450], y[:450]), val_loader=loader_of(x[450:], y[450:])
    )


def _one_label(y: Tensor) -> Made:
    return classify(y=y, loader=loader_of(seeded()[0], y))


x0, y0 = seeded()
case("nonfinite-input", _holes)
case("inputs-unnormalized", lambda: classify(x0 * 500 + 1000))
case("inputs-constant", lambda: classify(torch.ones(64, 6)))
case("input-destroyed", lambda: classify(torch.where(torch.arange(384).reshape(64, 6) % 97 == 0, 1.0, 0.0)))
case("labels-misaligned", lambda: _clusters(True), lambda: _clusters(False))
case("labels-out-of-range", lambda: classify(y=y0 + 2))
case("labels-all-ignored", lambda: classify(y=torch.full((64,), -100)))
case("labels-constant", lambda: _one_label(torch.ones(64, dtype=torch.long)), lambda: _one_label(y0))
case("class-imbalance", lambda: _imbalanced(False), lambda: _imbalanced(True))
case(
    "target-leakage",
    _copied_column,
    lambda: regress(mlp(6, 1)) | {"batch": (x0, (x0[:, :2] ** 2).sum(1, keepdim=True))},
)
case("split-overlap", lambda: _overlap(True), lambda: _overlap(False))
case("fit-on-all-data", lambda: _scaled_together(True), lambda: _scaled_together(False))
case("unstratified-split", lambda: _sorted_split(False), lambda: _sorted_split(True))


# loss
def _two_heads(connected: bool) -> Made:
    model = parts(
        lambda m, x: (m.a(m.body(x)), m.b(m.body(x))),
        body=lambda: nn.Sequential(nn.Linear(6, 16), nn.ReLU()),
        a=lambda: nn.Linear(16, 3),
        b=lambda: nn.Linear(16, 1),
    )

    def step(model: nn.Module, batch: Any) -> Tensor:
        scores, value = model(batch[0])
        second = F.mse_loss(value[:, 0], batch[0][:, 3])
        return F.cross_entropy(scores, batch[1]) + (second if connected else second.item())

    return {"model": model, "batch": (x0, y0), "step": step}


def _terms(scale: float, sign: float = 1.0, reduction: str = "mean") -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        out = model(batch[0])[:, 0]
        first = F.mse_loss(out, batch[0][:, 1])
        return first + scale * F.l1_loss(out, sign * batch[0][:, 1], reduction=reduction)

    return {"model": mlp(6, 1), "batch": (x0,), "step": step}


def _summed(rate: float) -> Made:
    model = mlp()
    loss = nn.CrossEntropyLoss(reduction="sum")
    return classify(model=model, loss_fn=loss, optimizer=torch.optim.SGD(model.parameters(), lr=rate))


def _attention(axis: int) -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        h = m.up(x.reshape(-1, 3, 2))
        weights = torch.softmax(m.q(h) @ m.k(h).transpose(1, 2), dim=axis)
        mixed: Tensor = m.out((weights @ h).flatten(1))
        return mixed

    lines = {name: (lambda: nn.Linear(8, 8)) for name in ("q", "k")}
    return classify(model=parts(forward, up=lambda: nn.Linear(2, 8), out=lambda: nn.Linear(24, 3), **lines))


def _clamped() -> Made:
    model = mlp(6, 1)
    with torch.no_grad():
        list(model.parameters())[-1].fill_(-30.0)

    def step(model: nn.Module, batch: Any) -> Tensor:
        return F.binary_cross_entropy(torch.sigmoid(model(batch[0])[:, 0]), (batch[1] > 0).float())

    return {"model": model, "batch": (x0, torch.ones(64).long()), "step": step}


case("double-softmax", lambda: classify(model=mlp(6, 3, nn.Softmax(dim=1))))
case(
    "logits-into-prob-loss",
    lambda: classify(loss_fn=nn.NLLLoss()),
    lambda: classify(model=mlp(6, 3, nn.LogSoftmax(1)), loss_fn=nn.NLLLoss()),
)
case("softmax-wrong-dim", lambda: _attention(0), lambda: _attention(-1))
case("loss-broadcast", lambda: regress(mlp(6, 1)) | {"batch": (x0, x0[:, 0])}, lambda: regress(mlp(6, 1)))
case("loss-disconnected", lambda: _two_heads(False), lambda: _two_heads(True))
case("loss-wrong-for-task", lambda: classify(model=mlp(6, 1), y=torch.zeros(64, dtype=torch.long)))
case(
    "loss-saturated",
    lambda: regress(mlp(6, 1), step=lambda m, b: F.mse_loss(torch.tanh(100 + m(b[0])), b[1])),
    lambda: regress(mlp(6, 1)),
)
case("loss-terms-imbalanced", lambda: _terms(1e-6), lambda: _terms(1.0))
case("loss-terms-conflict", lambda: _terms(1.0, -3.0), lambda: _terms(1.0))
case(
    "wrong-reduction",
    lambda: _summed(0.5),
    lambda: classify(model=(m := mlp()), optimizer=torch.optim.SGD(m.parameters(), lr=0.5)),
)
case(
    "init-loss-off", lambda: regress(mlp(6, 1)) | {"batch": (x0, 75 + x0[:, :1])}, lambda: regress(mlp(6, 1))
)


# training
def _held(part: Callable[[nn.Sequential], Any]) -> Made:
    model = mlp()
    return classify(model=model, optimizer=torch.optim.Adam(part(model), lr=1e-3))


def _frozen(part: str) -> Made:
    model = mlp()
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(not name.startswith(part))
    free = [p for p in model.parameters() if p.requires_grad]
    return classify(model=model, optimizer=torch.optim.Adam(free))


def _cut(detach: bool) -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        h = torch.relu(m.a(x))
        out: Tensor = m.b(h.detach() if detach else h)
        return out

    return classify(model=parts(forward, a=lambda: nn.Linear(6, 16), b=lambda: nn.Linear(16, 3)))


def _moving_target(detach: bool) -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        target = model(batch[0].flip(0))
        return F.mse_loss(model(batch[0]), target.detach() if detach else target)

    return {"model": mlp(), "batch": (x0,), "step": step}


case(
    "params-not-in-optimizer",
    lambda: _held(lambda m: m[0].parameters()),
    lambda: _held(lambda m: m.parameters()),
)
case("frozen-params", lambda: _frozen("4."), lambda: _frozen("0."))
case("detached-graph", lambda: _cut(True), lambda: _cut(False))
case("missing-detach", lambda: _moving_target(False), lambda: _moving_target(True))


# architecture
def _biased(value: float) -> Made:
    model = mlp()
    with torch.no_grad():
        list(model.parameters())[1].fill_(value)
    return classify(model=model)


def _deep(scale: float, activation: Callable[[], nn.Module] = nn.Tanh) -> Made:
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for _ in range(6):
        layer = nn.Linear(6, 6)
        nn.init.normal_(layer.weight, std=scale)
        nn.init.zeros_(layer.bias)
        layers += [layer, activation()]
    return classify(model=nn.Sequential(*layers, nn.Linear(6, 3)))


class Sine(nn.Module):
    """Bounded forward, steep backward."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(30 * x)


def _constant_weights() -> Made:
    model = mlp()
    for parameter in model.parameters():
        nn.init.constant_(parameter, 0.1)
    return classify(model=model)


def _hidden(registered: bool) -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layers = [nn.Linear(6, 16), nn.Linear(16, 16)]
            self.layers: Any = nn.ModuleList(layers) if registered else layers
            self.head = nn.Linear(16, 3)

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = torch.relu(layer(x))
            out: Tensor = self.head(x)
            return out

    torch.manual_seed(0)
    return classify(model=Net())


def _mixing(swap: Callable[[Tensor], Tensor]) -> Made:
    x = torch.randn(16, 5, 2, generator=torch.Generator().manual_seed(2))

    def forward(m: Any, x: Tensor) -> Tensor:
        return m.head(m.rnn(swap(x))[0][-1])  # type: ignore[no-any-return]

    model = parts(forward, rnn=lambda: nn.GRU(2, 8), head=lambda: nn.Linear(8, 3))
    return classify(x, torch.arange(16) % 3, model)


def _language_model(bidirectional: bool) -> Made:
    tokens = torch.randint(12, (8, 14), generator=torch.Generator().manual_seed(2))
    width = 2 if bidirectional else 1

    def step(model: nn.Module, batch: Any) -> Tensor:
        return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten())

    model = parts(
        lambda m, x: m.head(m.rnn(m.embed(x))[0]),
        embed=lambda: nn.Embedding(12, 8),
        rnn=lambda: nn.GRU(8, 8, batch_first=True, bidirectional=bidirectional),
        head=lambda: nn.Linear(8 * width, 12),
    )
    return {"model": model, "batch": (tokens[:, :-1], tokens[:, 1:]), "step": step}


def _normed(examples: int) -> Made:
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))
    x = torch.randn(examples, 1, 8, 8, generator=torch.Generator().manual_seed(2))
    return classify(x, torch.arange(examples) % 3, model)


def _branches(apart: float) -> Made:
    def step(model: Any, batch: Any) -> Tensor:
        gap: Tensor = model(batch[0]) - model(batch[0] + apart)
        return gap.pow(2).mean() - 0.1 * gap.std()

    torch.manual_seed(0)
    return {
        "model": nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU()),
        "batch": (x0,),
        "step": step,
    }


def _dropping(awake: bool) -> Made:
    model = parts(
        lambda m, x: m.b(F.dropout(torch.relu(m.a(x)), 0.5, True if awake else m.training)),
        a=lambda: nn.Linear(6, 16),
        b=lambda: nn.Linear(16, 3),
    )
    return classify(model=model)


def _remembering(keep: bool) -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        state, out = None, x
        for t in range(x.shape[1]):
            given = x[:, t : t + 1]
            out, new = m.rnn(given, state) if state is not None else m.rnn(given)
            state = new if keep else None
        return m.head(out[:, -1])  # type: ignore[no-any-return]

    x = torch.randn(16, 5, 2, generator=torch.Generator().manual_seed(2))
    model = parts(forward, rnn=lambda: nn.GRU(2, 8, batch_first=True), head=lambda: nn.Linear(8, 3))
    return classify(x, torch.arange(16) % 3, model)


def _ceiling(wall: bool) -> Made:
    model = parts(
        lambda m, x: (m.a(x) * 0 + x[:, :3]) if wall else m.a(x),
        a=lambda: nn.Linear(6, 3),
    )
    return classify(model=model)


case("dead-relu", lambda: _biased(-20.0), lambda: _biased(0.0))


def _decay(seconds: float) -> Made:
    """u' = -u on the way from 1, in units of ten minutes or in seconds."""
    t = (seconds * torch.rand(128, 1, generator=torch.Generator().manual_seed(3))).requires_grad_()
    torch.manual_seed(0)

    def step(model: nn.Module, batch: Tensor) -> Tensor:
        u: Tensor = model(batch)
        (slope,) = torch.autograd.grad(u.sum(), batch, create_graph=True)
        start: Tensor = model(torch.zeros(8, 1)) - 1.0
        return (seconds * slope + u).square().mean() + start.square().mean()

    return {"model": nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)), "batch": t, "step": step}


case("raw-units", lambda: _decay(600.0), lambda: _decay(1.0))
case("saturated-activations", lambda: _deep(20.0), lambda: _deep(0.4))
case("vanishing-gradients", lambda: _deep(0.15, nn.Sigmoid), lambda: _deep(0.4))
case("exploding-gradients", lambda: _deep(0.4, Sine), lambda: _deep(0.4))
case("zero-init", _constant_weights)
case("bad-init-scale", lambda: _deep(0.01), lambda: _deep(0.4))
case("missing-nonlinearity", lambda: classify(model=nn.Sequential(nn.Linear(6, 8), nn.Linear(8, 3))))
case("output-activation", lambda: regress(mlp(6, 1, nn.Sigmoid())), lambda: regress(mlp(6, 1)))
case("unregistered-modules", lambda: _hidden(False), lambda: _hidden(True))
case(
    "unused-parameters",
    lambda: classify(model=parts(lambda m, x: m.a(x), a=lambda: nn.Linear(6, 3), b=lambda: nn.Linear(6, 3))),
)
case(
    "batch-mixing",
    lambda: _mixing(lambda x: x.reshape(x.shape[1], x.shape[0], 2)),
    lambda: _mixing(lambda x: x.transpose(0, 1)),
)
case("causal-leak", lambda: _language_model(True), lambda: _language_model(False))
case("norm-batch-of-one", lambda: _normed(1), lambda: _normed(16))
case("shared-layer-misuse", lambda: _branches(5.0), lambda: _branches(0.01))
case("dropout-ignores-mode", lambda: _dropping(True), lambda: _dropping(False))
case("state-not-carried", lambda: _remembering(False), lambda: _remembering(True))
case("structural-ceiling", lambda: _ceiling(True), lambda: _ceiling(False))


# numerics
def _log_of(shift: float) -> Made:
    return regress(
        mlp(6, 1), step=lambda m, b: torch.log(torch.relu(m(b[0])) * 0 + shift).mean() + m(b[0]).mean()
    )


def _root(shift: float) -> Made:
    return regress(
        mlp(6, 1), step=lambda m, b: torch.sqrt((m(b[0]) * 0) ** 2 + shift).mean() + m(b[0]).mean()
    )


def _blown(scale: float) -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        scores: Tensor = model(batch[0]) * scale
        return (scores.exp().sum(1).log() - scores.gather(1, batch[1][:, None])[:, 0]).mean()

    return classify(step=step)


class _Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        return ctx.factor * x * slopes[0], None


def _custom(factor: float) -> Made:
    return regress(mlp(6, 1), step=lambda m, b: _Square.apply(m(b[0]), factor).mean())  # type: ignore[no-untyped-call]


def _overflow() -> Made:
    return classify(step=lambda m, b: F.cross_entropy(m(b[0]) * 1e38 * 1e10, b[1]))


case("nonfinite-forward", _overflow)
case("nonfinite-gradient", lambda: _root(0.0), lambda: _root(1e-3))
case("unsafe-log-div", lambda: _log_of(0.0), lambda: _log_of(1e-3))
case(
    "unstable-exp",
    lambda: _blown(1e4),
    lambda: classify(step=lambda m, b: F.cross_entropy(m(b[0]) * 1e4, b[1])),
)
case("wrong-gradient", lambda: _custom(3.0), lambda: _custom(2.0))
