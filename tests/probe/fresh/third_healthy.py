# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index,type-arg"
"""A third set, judged once before anything was changed because of it: the healthy ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.nn.utils.parametrizations import spectral_norm
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, IterableDataset

from tests.probe.fresh.second_shared import classes, made, mlp
from tests.probe.fresh.shared import Made, answer, table


def pinball(predicted: Tensor, target: Tensor) -> Tensor:
    levels = torch.tensor([0.1, 0.5, 0.9])
    gap = target - predicted
    return torch.maximum(levels * gap, (levels - 1) * gap).mean()


@answer()
def quantiles_of_one_target() -> Made:
    x, y = table()
    return made(mlp(10, 32, 3), (x, y[:, None]), pinball)


def cox(risk: Tensor, target: Tensor) -> Tensor:
    """The partial likelihood: each death against all who were still at risk."""
    times, died = target[:, 0], target[:, 1]
    order = times.argsort(descending=True)
    risk, died = risk.squeeze(1)[order], died[order]
    return -((risk - risk.logcumsumexp(0)) * died).sum() / died.sum()


@answer()
def survival_by_partial_likelihood() -> Made:
    x, y = table(80)
    times = torch.exp(-y / 3) * torch.rand(80).add(0.5)
    return made(mlp(10, 32, 1), (x, torch.stack([times, (torch.rand(80) < 0.7).float()], 1)), cox)


@answer()
def survival_in_discrete_time() -> Made:
    x, y = table(80)
    last = (y.sigmoid() * 8).long().clamp(0, 7)
    died = torch.rand(80) < 0.7

    def step(model: nn.Module, batch: Any) -> Tensor:
        scores, last, died = model(batch["x"]), batch["last"], batch["died"]
        bins = torch.arange(8)
        lived = (bins < last[:, None]) | ((bins == last[:, None]) & ~died[:, None])
        ended = (bins == last[:, None]) & died[:, None]
        each = F.logsigmoid(-scores) * lived + F.logsigmoid(scores) * ended
        return -each.sum(1).mean()

    return made(mlp(10, 32, 8), {"x": x, "last": last, "died": died}, step=step)


@answer()
def two_views_against_all_others() -> Made:
    x = torch.randn(48, 10)

    def step(model: nn.Module, batch: Any) -> Tensor:
        views = torch.cat([batch[0], batch[1]])
        z = F.normalize(model(views), dim=1)
        similar = z @ z.T / 0.2
        similar.fill_diagonal_(float("-inf"))
        n = len(batch[0])
        return F.cross_entropy(similar, torch.arange(2 * n).roll(n))

    return made(mlp(10, 64, 16), (x + 0.1 * torch.randn(48, 10), x + 0.1 * torch.randn(48, 10)), step=step)


@answer()
def critic_with_hinge_and_spectral_norm() -> Made:
    critic = nn.Sequential(
        spectral_norm(nn.Linear(8, 32)), nn.LeakyReLU(0.2), spectral_norm(nn.Linear(32, 32)),
        nn.LeakyReLU(0.2), spectral_norm(nn.Linear(32, 1)),
    )  # fmt: skip
    maker = mlp(4, 32, 8)

    def step(critic: nn.Module, real: Tensor) -> Tensor:
        with torch.no_grad():
            fake = maker(torch.randn(len(real), 4))
        return F.relu(1 - critic(real)).mean() + F.relu(1 + critic(fake)).mean()

    return made(critic, torch.randn(64, 8) + 2, step=step)


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.into, self.back = mlp(16, 32, 8), mlp(4, 32, 16)

    def forward(self, x: Tensor) -> Any:
        mean, logvar = self.into(x).chunk(2, 1)
        z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
        return self.back(z), mean, logvar


def elbo(weight: float) -> Any:
    def step(model: nn.Module, x: Tensor) -> Tensor:
        out, mean, logvar = model(x)
        kl = -0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum(1).mean()
        return F.mse_loss(out, x, reduction="sum") / len(x) + weight * kl

    return step


@answer()
def vae_whose_penalty_warms_up_from_zero() -> Made:
    return made(Vae(), torch.randn(64, 16), step=elbo(0.0))


@answer()
def vae_on_normal_data() -> Made:
    return made(Vae(), torch.randn(64, 16), step=elbo(1.0))


@dataclass
class Said:
    loss: Tensor | None
    logits: Tensor


class Masked(nn.Module):
    """Classifies sequences with padding, as pretrained encoders do."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 32, padding_idx=0)
        self.body = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(32, 4, 64, 0.1, batch_first=True), 2, enable_nested_tensor=False
        )
        self.head = nn.Linear(32, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None = None) -> Said:
        h = self.body(self.embed(input_ids), src_key_padding_mask=attention_mask == 0)
        h = (h * attention_mask[..., None]).sum(1) / attention_mask.sum(1, keepdim=True)
        logits = self.head(h)
        return Said(None if labels is None else F.cross_entropy(logits, labels), logits)


def padded(rows: int = 24, length: int = 20) -> dict[str, Tensor]:
    ids, ends = torch.randint(1, 50, (rows, length)), torch.randint(5, length + 1, (rows,))
    mask = (torch.arange(length) < ends[:, None]).long()
    return {"input_ids": ids * mask, "attention_mask": mask, "labels": ids[:, 0] % 3}


@answer()
def encoder_with_padding() -> Made:
    return made(Masked(), padded())


class Translator(nn.Module):
    def __init__(self, masked: bool = True) -> None:
        super().__init__()
        self.embed, self.place, self.masked = nn.Embedding(40, 32), nn.Embedding(20, 32), masked
        self.core = nn.Transformer(32, 4, 1, 1, 64, 0.0, batch_first=True)
        self.head = nn.Linear(32, 40)

    def forward(self, source: Tensor, before: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(before.shape[1]) if self.masked else None
        a, b = (self.embed(t) + self.place(torch.arange(t.shape[1])) for t in (source, before))
        return self.head(self.core(a, b, tgt_mask=mask))


def translation(masked: bool) -> Made:
    source, wanted = torch.randint(1, 40, (16, 12)), torch.randint(1, 40, (16, 15))

    def step(model: nn.Module, batch: Any) -> Tensor:
        scores = model(batch[0], batch[1][:, :-1])
        return F.cross_entropy(scores.flatten(0, 1), batch[1][:, 1:].flatten(), ignore_index=0)

    return made(Translator(masked), (source, wanted), step=step)


@answer()
def translation_with_a_mask() -> Made:
    return translation(True)


class Lit(nn.Module):
    """The shape of a Lightning module: it logs, returns a dict and keeps its own loss."""

    def __init__(self) -> None:
        super().__init__()
        self.net, self.criterion = mlp(10, 32, 4), nn.CrossEntropyLoss(label_smoothing=0.1)
        self.seen: list[float] = []

    def log(self, name: str, value: Any) -> None:
        self.seen.append(float(value))

    def training_step(self, batch: Any, batch_idx: int) -> dict[str, Tensor]:
        loss = self.criterion(self.net(batch["x"]), batch["y"])
        self.log("train_loss", loss.item())
        return {"loss": loss, "extra": batch["y"]}


@answer()
def lightning_module_that_returns_a_dict() -> Made:
    x, y = classes()
    return made(Lit(), {"x": x, "y": y})


@answer()
def picture_table_and_words_together() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.eye = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
            self.row, self.word = nn.Linear(5, 8), nn.EmbeddingBag(30, 8)
            self.head = nn.Sequential(nn.ReLU(), nn.Linear(24, 3))

        def forward(self, picture: Tensor, row: Tensor, words: Tensor) -> Tensor:
            return self.head(torch.cat([self.eye(picture), self.row(row), self.word(words)], 1))

    row = torch.randn(32, 5)
    batch = (torch.randn(32, 1, 12, 12), row, torch.randint(30, (32, 6)), row[:, :3].argmax(1))
    return made(Net(), batch, nn.CrossEntropyLoss())


@answer()
def sparse_tables_of_factors() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.user, self.item = nn.Embedding(30, 8, sparse=True), nn.Embedding(40, 8, sparse=True)

        def forward(self, user: Tensor, item: Tensor) -> Tensor:
            return (self.user(user) * self.item(item)).sum(1)

    batch = (torch.randint(30, (64,)), torch.randint(40, (64,)), torch.randint(0, 2, (64,)).float())
    made_ = made(net := Net(), batch, nn.BCEWithLogitsLoss())
    return made_ | {"optimizer": torch.optim.SparseAdam(list(net.parameters()))}


class Stream(IterableDataset):
    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            x = torch.randn(10)
            yield x, x[:4].argmax()


@answer()
def endless_loaders() -> Made:
    loader = DataLoader(Stream(), batch_size=32)
    return made(mlp(10, 32, 4), classes(), nn.CrossEntropyLoss(), loader=loader, val_loader=loader)


class Unet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down, self.deep = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.up, self.out = nn.ConvTranspose2d(16, 8, 2, 2), nn.Conv2d(16, 5, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = F.relu(self.down(x))
        b = F.relu(self.deep(F.max_pool2d(a, 2)))
        return self.out(torch.cat([a, self.up(b)], 1))


def streets() -> tuple[Tensor, Tensor]:
    x = torch.randn(8, 3, 16, 16)
    y = F.avg_pool2d(torch.randn(8, 5, 16, 16) + x.mean(1, keepdim=True), 3, 1, 1).argmax(1)
    y[:, :2] = 255
    return x, y


@answer()
def streets_with_a_border_to_ignore() -> Made:
    weight = torch.tensor([1.0, 2.0, 1.0, 0.5, 1.0])
    return made(Unet(), streets(), nn.CrossEntropyLoss(weight=weight, ignore_index=255))


@answer()
def student_beside_a_frozen_teacher() -> Made:
    teacher, student = mlp(10, 64, 4).requires_grad_(False).eval(), mlp(10, 16, 4)

    def step(student: nn.Module, batch: Any) -> Tensor:
        said = student(batch[0])
        with torch.no_grad():
            wanted = (teacher(batch[0]) / 3).softmax(1)
        soft = F.kl_div((said / 3).log_softmax(1), wanted, reduction="batchmean") * 9
        return 0.5 * soft + 0.5 * F.cross_entropy(said, batch[1])

    return made(student, classes(), step=step)


@answer()
def faces_with_an_angular_margin() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.centres = mlp(10, 64, 16), nn.Parameter(torch.randn(20, 16))

        def forward(self, x: Tensor) -> Tensor:
            return F.linear(F.normalize(self.body(x)), F.normalize(self.centres))

    def margin(cosine: Tensor, target: Tensor) -> Tensor:
        angle = cosine.clamp(-1 + 1e-6, 1 - 1e-6).acos()
        moved = torch.where(F.one_hot(target, 20).bool(), angle + 0.3, angle)
        return F.cross_entropy(16 * moved.cos(), target)

    return made(Net(), (torch.randn(64, 10), torch.arange(64) % 20), margin)


class Experts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(10, 4)
        self.experts = nn.ModuleList(mlp(10, 16, 3) for _ in range(4))

    def forward(self, x: Tensor) -> Any:
        chances = self.gate(x).softmax(1)
        top, which = chances.topk(2, dim=1)
        weights = torch.zeros_like(chances).scatter(1, which, top / top.sum(1, keepdim=True))
        said = torch.stack([expert(x) for expert in self.experts], 1)
        used = F.one_hot(which[:, 0], 4).float().mean(0)
        return (weights[..., None] * said).sum(1), 4 * (used * chances.mean(0)).sum()


def routed(model: nn.Module, batch: Any) -> Tensor:
    said, balance = model(batch[0])
    return F.cross_entropy(said, batch[1]) + 0.01 * balance


@answer()
def experts_chosen_by_a_gate() -> Made:
    return made(Experts(), classes(k=3), step=routed)


@answer()
def packed_sequences() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.rnn, self.head = nn.Embedding(50, 16), nn.GRU(16, 32), nn.Linear(32, 3)

        def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
            packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)
            return self.head(self.rnn(packed)[1][-1])

    given = padded()
    batch = (given["input_ids"], given["attention_mask"].sum(1), given["labels"])
    return made(Net(), batch, nn.CrossEntropyLoss())


@answer()
def recomputed_activations() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.into, self.body, self.head = nn.Linear(10, 32), mlp(32, 64, 32), nn.Linear(32, 4)

        def forward(self, x: Tensor) -> Tensor:
            h = F.relu(self.into(x))
            return self.head(F.relu(h + checkpoint(self.body, h, use_reentrant=False)))

    return made(Net(), classes(), nn.CrossEntropyLoss())


@answer()
def spectral_layer_with_complex_weights() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lift, self.drop = nn.Conv1d(1, 8, 1), nn.Conv1d(8, 1, 1)
            self.weight = nn.Parameter(torch.randn(8, 8, 6, dtype=torch.cfloat) / 8)

        def forward(self, x: Tensor) -> Tensor:
            h = self.lift(x)
            waves = torch.fft.rfft(h)
            kept = torch.einsum("bim,iom->bom", waves[..., :6], self.weight)
            return self.drop(
                F.gelu(h + torch.fft.irfft(F.pad(kept, (0, waves.shape[-1] - 6)), n=h.shape[-1]))
            )

    x = torch.randn(16, 1, 32).cumsum(2) / 4
    return made(Net(), (x, x.roll(1, 2) * 0.5), nn.MSELoss())


@answer()
def half_precision_by_autocast() -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return F.cross_entropy(model(batch[0]), batch[1])

    return made(mlp(10, 64, 4), classes(), step=step)


@answer()
def codes_from_a_codebook() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.into, self.codes, self.back = mlp(16, 32, 4), nn.Embedding(32, 4), mlp(4, 32, 16)

        def forward(self, x: Tensor) -> Any:
            z = self.into(x)
            near = self.codes(torch.cdist(z, self.codes.weight).argmin(1))
            pull = F.mse_loss(near, z.detach()) + 0.25 * F.mse_loss(z, near.detach())
            return self.back(z + (near - z).detach()), pull

    def step(model: nn.Module, x: Tensor) -> Tensor:
        out, pull = model(x)
        return F.mse_loss(out, x) + pull

    return made(Net(), torch.randn(64, 16), step=step)


@answer()
def cloud_of_points() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.each = nn.Sequential(
                nn.Conv1d(3, 32, 1), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 64, 1)
            )
            self.head = nn.Linear(64, 4)

        def forward(self, points: Tensor) -> Tensor:
            return self.head(self.each(points.transpose(1, 2)).amax(2))

    return made(Net(), (torch.randn(24, 50, 3), torch.arange(24) % 4), nn.CrossEntropyLoss())


@answer()
def margin_between_pairs() -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        gap = (model(batch[0]) - model(batch[1])).pow(2).sum(1).add(1e-8).sqrt()
        return torch.where(batch[2], gap.pow(2), F.relu(1 - gap).pow(2)).mean()

    x = torch.randn(64, 10)
    same = torch.rand(64) < 0.5
    other = torch.where(same[:, None], x + 0.1 * torch.randn(64, 10), torch.randn(64, 10))
    return made(mlp(10, 32, 8), (x, other, same), step=step)
