# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""A second set, judged once before anything was changed because of it: the broken ones."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, TensorDataset

from tests.probe.fresh.second_shared import classes, made, mlp
from tests.probe.fresh.shared import Made, adam, answer, sgd, table


@answer("loss-broadcast")
def critic_value_against_flat_returns() -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        return ((batch[1] - model(batch[0])) ** 2).mean()

    return made(mlp(4, 32, 1), (torch.randn(50, 4), torch.randn(50)), step=step)


@answer("double-softmax")
def sigmoid_scores_into_cross_entropy() -> Made:
    return made(mlp(10, 32, 4, tail=[nn.Sigmoid()]), classes(), nn.CrossEntropyLoss())


@answer("logits-into-prob-loss")
def scores_into_kl() -> Made:
    def loss(out: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(out, F.one_hot(target, 4).float() * 0.9 + 0.025, reduction="batchmean")

    return made(mlp(10, 32, 4), classes(), loss)


@answer("detached-graph")
def features_by_data() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = mlp(10, 32, 32), nn.Linear(32, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(self.body(x).data.clamp(min=0))

    return made(Net(), classes(), nn.CrossEntropyLoss())


@answer("loss-disconnected")
def accuracy_as_loss() -> Made:
    def loss(out: Tensor, target: Tensor) -> Tensor:
        return 1 - (out.argmax(1) == target).float().mean()

    return made(mlp(10, 32, 4), classes(), loss)


@answer("loss-disconnected")
def targets_overwritten() -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        out = model(batch[0])
        return F.mse_loss(out, out.detach()) + 0.01 * out.pow(2).mean() + 0 * batch[1].sum()

    x, y = table()
    return made(mlp(10, 32, 1), (x, y), step=step)


@answer("causal-leak")
def bidirectional_language_model() -> Made:
    class Lm(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.rnn = nn.Embedding(30, 16), nn.LSTM(16, 16, batch_first=True, bidirectional=True)
            self.head = nn.Linear(32, 30)

        def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
            return F.cross_entropy(self.head(self.rnn(self.embed(ids))[0]).transpose(1, 2), targets)

    class Shell(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lm = Lm()

        def forward(self, ids: Tensor, targets: Tensor) -> dict[str, Tensor]:
            logits = self.lm.head(self.lm.rnn(self.lm.embed(ids))[0])
            return {"loss": F.cross_entropy(logits.transpose(1, 2), targets), "logits": logits}

    ids = torch.randint(30, (8, 20))
    model = Shell()
    return made(model, (ids[:, :-1], ids[:, 1:]), step=lambda m, b: m(*b)["loss"])


@answer("causal-leak")
def own_labels_without_mask() -> Made:
    """Labels are the inputs; the model shifts them itself, as pretrained ones do."""

    class Gpt(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(30, 16)
            self.layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)
            self.head = nn.Linear(16, 30)

        def forward(self, input_ids: Tensor, labels: Tensor) -> dict[str, Tensor]:
            logits = self.head(self.layer(self.embed(input_ids)))
            loss = F.cross_entropy(logits[:, :-1].reshape(-1, 30), labels[:, 1:].reshape(-1))
            return {"loss": loss, "logits": logits}

    ids = torch.randint(30, (8, 16))
    return made(Gpt(), {"input_ids": ids, "labels": ids.clone()})


@answer("batch-mixing")
def mean_over_the_batch() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(10, 32), nn.Linear(32, 4)

        def forward(self, x: Tensor) -> Tensor:
            h = F.relu(self.one(x))
            return self.two(h - h.mean(0))

    return made(Net(), classes(), nn.CrossEntropyLoss())


@answer("batch-mixing")
def attention_without_batch_first() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.attend, self.head = (
                nn.Embedding(20, 16),
                nn.MultiheadAttention(16, 2),
                nn.Linear(16, 3),
            )

        def forward(self, ids: Tensor) -> Tensor:
            h = self.embed(ids)
            return self.head(self.attend(h, h, h)[0].mean(1))

    return made(Net(), (torch.randint(20, (12, 9)), torch.randint(3, (12,))), nn.CrossEntropyLoss())


@answer("inputs-unnormalized")
def incomes_in_dollars() -> Made:
    x, y = table()
    x[:, 4] = 45_000 + 20_000 * x[:, 4]
    return made(mlp(10, 32, 1, tail=[nn.Flatten(0)]), (x, y), nn.MSELoss())


@answer("inputs-constant")
def images_all_zero() -> Made:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4))
    return made(model, (torch.zeros(16, 3, 8, 8), torch.arange(16) % 4), nn.CrossEntropyLoss())


@answer("labels-constant")
def one_class_only() -> Made:
    x, _ = classes(128)
    y = torch.ones(128, dtype=torch.long)
    loader = DataLoader(TensorDataset(x, y), batch_size=64)
    return made(mlp(10, 32, 4), (x[:64], y[:64]), nn.CrossEntropyLoss(), loader=loader)


@answer("labels-out-of-range")
def classes_from_one() -> Made:
    x, y = classes()
    return made(mlp(10, 32, 4), (x, y + 1), nn.CrossEntropyLoss())


@answer("loss-wrong-for-task", "labels-constant")
def one_output_cross_entropy() -> Made:
    x, y = classes(k=2)
    return made(mlp(10, 32, 1), (x, torch.zeros_like(y)), nn.CrossEntropyLoss())


@answer("output-activation")
def tanh_on_prices() -> Made:
    x, y = table()
    return made(mlp(10, 32, 1, tail=[nn.Tanh(), nn.Flatten(0)]), (x, y * 2), nn.SmoothL1Loss())


@answer("bad-init-scale")
def weights_of_unit_normal() -> Made:
    model = mlp(10, 256, 256, 256, 256, 4)
    for part in model:
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight)
    return made(model, classes(), nn.CrossEntropyLoss())


@answer("wrong-reduction")
def sum_with_plain_sgd() -> Made:
    x, y = table(256)
    model = mlp(10, 32, 1, tail=[nn.Flatten(0)])
    return made(model, (x, y), nn.MSELoss(reduction="sum")) | {"optimizer": sgd(model, 0.05)}


@answer("target-leakage")
def tomorrow_among_the_features() -> Made:
    x, y = classes(200, 2)
    x[:, 3] = y.float()
    return made(mlp(10, 32, 2), (x, y), nn.CrossEntropyLoss())


@answer("unsafe-log-div")
def log_of_softmax_by_hand() -> Made:
    def loss(out: Tensor, target: Tensor) -> Tensor:
        return -torch.log(out.softmax(1)).gather(1, target[:, None]).mean()

    return made(mlp(10, 32, 4), classes(), loss)


@answer("unregistered-modules")
def layers_in_a_list() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Linear(10, 10) for _ in range(3)]
            self.head = nn.Linear(10, 4)

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = F.relu(layer(x))
            return self.head(x)

    return made(Net(), classes(), nn.CrossEntropyLoss())


@answer("dropout-ignores-mode")
def functional_dropout() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(10, 32), nn.Linear(32, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.two(F.dropout(F.relu(self.one(x)), 0.3))

    return made(Net(), classes(), nn.CrossEntropyLoss())


@answer("zero-init")
def all_weights_zero() -> Made:
    model = mlp(10, 32, 32, 4)
    for part in model.parameters():
        nn.init.zeros_(part)
    return made(model, classes(), nn.CrossEntropyLoss())


@answer("params-not-in-optimizer")
def decoder_forgotten() -> Made:
    encoder, decoder = mlp(10, 32, 4, tail=[nn.ReLU()]), mlp(4, 32, 10)
    model = nn.ModuleDict({"encoder": encoder, "decoder": decoder})

    def step(model: Any, x: Tensor) -> Tensor:
        return F.mse_loss(model["decoder"](model["encoder"](x)), x)

    return {"model": model, "batch": torch.randn(32, 10), "step": step, "optimizer": adam(encoder)}


@answer("nonfinite-forward", "unsafe-log-div")
def log_of_counts() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp(10, 32, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.net(x.log())

    return made(
        Net(), (torch.poisson(torch.full((64, 10), 2.0)), torch.randint(4, (64,))), nn.CrossEntropyLoss()
    )


@answer("split-overlap")
def validation_is_part_of_training() -> Made:
    x, y = classes(400)
    loaders = {"loader": DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True),
               "val_loader": DataLoader(TensorDataset(x[300:], y[300:]), batch_size=50)}  # fmt: skip
    return made(mlp(10, 32, 4), (x[:64], y[:64]), nn.CrossEntropyLoss(), **loaders)
