# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""A second set, judged once before anything was changed because of it: the healthy ones."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.probe.fresh.second_shared import classes, made, mlp
from tests.probe.fresh.shared import Made, answer, table


@answer()
def multilabel_bce() -> Made:
    x = torch.randn(40, 10)
    return made(
        mlp(10, 32, 6), (x, (x[:, :6] + 0.5 * torch.randn(40, 6) > 0.7).float()), nn.BCEWithLogitsLoss()
    )


@answer()
def focal_loss_by_hand() -> Made:
    def focal(score: Tensor, target: Tensor) -> Tensor:
        logp = F.log_softmax(score, 1).gather(1, target[:, None]).squeeze(1)
        return (-((1 - logp.exp()) ** 2) * logp).mean()

    return made(mlp(10, 32, 4), classes(), focal)


@answer()
def ordinal_regression_on_ratings() -> Made:
    x, y = table()
    return made(mlp(10, 32, 1, tail=[nn.Flatten(0)]), (x, (y + 3).clamp(1, 5).round()), nn.MSELoss())


@answer()
def inception_style_auxiliary_head() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.low, self.high = (
                nn.Sequential(nn.Linear(10, 32), nn.ReLU()),
                nn.Sequential(nn.Linear(32, 32), nn.ReLU()),
            )
            self.aux, self.head = nn.Linear(32, 4), nn.Linear(32, 4)

        def forward(self, x: Tensor) -> Any:
            low = self.low(x)
            out = self.head(self.high(low))
            return (out, self.aux(low)) if self.training else out

    def step(model: nn.Module, batch: Any) -> Tensor:
        out = model(batch[0])
        if isinstance(out, tuple):
            return F.cross_entropy(out[0], batch[1]) + 0.3 * F.cross_entropy(out[1], batch[1])
        return F.cross_entropy(out, batch[1])

    return made(Net(), classes(), step=step)


@answer()
def mixup() -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        x, y = batch
        share, order = 0.7, torch.randperm(len(x))
        out = model(share * x + (1 - share) * x[order])
        return share * F.cross_entropy(out, y) + (1 - share) * F.cross_entropy(out, y[order])

    return made(mlp(10, 32, 4), classes(), step=step)


@answer()
def one_hot_targets() -> Made:
    x, y = classes()
    return made(mlp(10, 32, 4), (x, F.one_hot(y, 4).float()), nn.CrossEntropyLoss())


@answer()
def sequence_to_sequence_with_attention() -> Made:
    class Translate(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Embedding(20, 16), nn.Embedding(25, 16)
            self.core = nn.Transformer(16, 2, 1, 1, 32, 0.1, batch_first=True)
            self.head = nn.Linear(16, 25)

        def forward(self, source: Tensor, target: Tensor) -> Tensor:
            mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
            return self.head(self.core(self.a(source), self.b(target), tgt_mask=mask))

    def step(model: nn.Module, batch: Any) -> Tensor:
        source, target = batch
        return F.cross_entropy(model(source, target[:, :-1]).transpose(1, 2), target[:, 1:], ignore_index=0)

    return made(Translate(), (torch.randint(1, 20, (8, 9)), torch.randint(1, 25, (8, 11))), step=step)


@answer()
def ctc_speech() -> Made:
    class Ears(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn, self.head = nn.GRU(13, 24, batch_first=True, bidirectional=True), nn.Linear(48, 12)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(self.rnn(x)[0]).log_softmax(-1)

    def step(model: nn.Module, batch: Any) -> Tensor:
        x, y = batch
        out = model(x).transpose(0, 1)
        return F.ctc_loss(out, y, torch.full((len(x),), out.shape[0]), torch.full((len(x),), y.shape[1]))

    return made(Ears(), (torch.randn(6, 40, 13), torch.randint(1, 12, (6, 8))), step=step)


@answer()
def super_resolution_l1() -> Made:
    class Up(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 4, 3, padding=1)
            )

        def forward(self, x: Tensor) -> Tensor:
            return F.pixel_shuffle(self.body(x), 2) + F.interpolate(x, scale_factor=2)

    big = torch.rand(6, 1, 16, 16)
    return made(Up(), (F.avg_pool2d(big, 2), big), nn.L1Loss())


@answer()
def autoencoder_on_images_with_sigmoid() -> Made:
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 64), nn.Sigmoid())

    def step(model: nn.Module, x: Tensor) -> Tensor:
        return F.mse_loss(model(x), x.flatten(1))

    return made(model, torch.rand(32, 1, 8, 8), step=step)


@answer()
def embedding_bag_with_offsets() -> Made:
    class Bag(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bag, self.head = nn.EmbeddingBag(50, 16), nn.Linear(16, 3)

        def forward(self, text: Tensor, offsets: Tensor) -> Tensor:
            return self.head(self.bag(text, offsets))

    return made(
        Bag(),
        (torch.randint(50, (60,)), torch.arange(0, 60, 5), torch.randint(3, (12,))),
        nn.CrossEntropyLoss(),
    )


@answer()
def matrix_factorisation() -> Made:
    class Factor(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.user, self.item = nn.Embedding(30, 8), nn.Embedding(40, 8)
            self.bias = nn.Embedding(40, 1)

        def forward(self, user: Tensor, item: Tensor) -> Tensor:
            return (self.user(user) * self.item(item)).sum(1) + self.bias(item).squeeze(1)

    batch = (torch.randint(30, (64,)), torch.randint(40, (64,)), torch.randint(1, 6, (64,)).float())
    return made(Factor(), batch, nn.MSELoss())


@answer()
def tcn_causal_forecast() -> Made:
    class Tcn(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([nn.Conv1d(1 if d == 1 else 8, 8, 2, dilation=d) for d in (1, 2, 4)])
            self.head = nn.Conv1d(8, 1, 1)

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = F.relu(layer(F.pad(x, (layer.dilation[0], 0))))
            return self.head(x)

    wave = torch.sin(torch.arange(21) * 0.4 + torch.rand(16, 1, 1) * 6)
    return made(Tcn(), (wave[..., :-1], wave[..., 1:]), nn.MSELoss())


@answer()
def pretrained_body_trained_head() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = mlp(10, 32, 32), nn.Linear(32, 4)
            self.body.requires_grad_(False)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(F.relu(self.body(x)))

    model = Net()
    return made(model, classes(), nn.CrossEntropyLoss()) | {
        "optimizer": torch.optim.Adam(model.head.parameters())
    }


@answer()
def tabular_with_batchnorm_input() -> Made:
    x = torch.randn(64, 10) * torch.logspace(0, 4, 10)
    model = nn.Sequential(nn.BatchNorm1d(10), nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
    return made(model, (x, torch.randint(4, (64,))), nn.CrossEntropyLoss())


@answer()
def heteroscedastic_regression() -> Made:
    def loss(out: Tensor, target: Tensor) -> Tensor:
        mean, logvar = out.unbind(1)
        return (0.5 * logvar + 0.5 * (target - mean) ** 2 / logvar.exp()).mean()

    return made(mlp(10, 32, 2), table(), loss)


@answer()
def lightning_style_module() -> Made:
    class Module(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp(10, 32, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.net(x)

        def training_step(self, batch: Any, index: int) -> dict[str, Tensor]:
            x, y = batch
            return {"loss": F.cross_entropy(self(x), y)}

    return made(Module(), classes())


@answer()
def cosine_embedding_pairs() -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        a, b, same = batch
        return F.cosine_embedding_loss(model(a), model(b), same)

    a = torch.randn(32, 10)
    return made(mlp(10, 32, 8), (a, torch.randn(32, 10), torch.randint(0, 2, (32,)) * 2 - 1), step=step)
