# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""Words: decoders, classifiers, hidden words."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.probe.fresh.shared import Made, adam, answer


class Decoder(nn.Module):
    def __init__(self, masked: bool = True, tied: bool = True, vocabulary: int = 40) -> None:
        super().__init__()
        self.masked = masked
        self.embed, self.place = nn.Embedding(vocabulary, 32), nn.Embedding(64, 32)
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.norm, self.mlp = nn.LayerNorm(32), nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))
        self.head = nn.Linear(32, vocabulary, bias=False)
        nn.init.normal_(self.embed.weight, std=0.02)
        if tied:
            self.head.weight = self.embed.weight

    def forward(self, ids: Tensor) -> Tensor:
        h = self.embed(ids) + self.place(torch.arange(ids.shape[1]))
        q, k, v = self.qkv(self.norm(h)).chunk(3, -1)
        score = q @ k.transpose(1, 2) / math.sqrt(32)
        if self.masked:
            hidden = torch.ones(score.shape[-2:], dtype=torch.bool).triu(1)
            score = score.masked_fill(hidden, float("-inf"))
        h = h + self.out(score.softmax(-1) @ v)
        return self.head(h + self.mlp(h))


def words(rows: int = 8, length: int = 16) -> tuple[Tensor, Tensor]:
    ids = torch.randint(40, (rows, length + 1))
    return ids[:, :-1], ids[:, 1:]


def next_word(model: nn.Module, batch: Any) -> Tensor:
    return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten())


@answer()
def tied_decoder() -> Made:
    model = Decoder()
    return {"model": model, "batch": words(), "step": next_word, "optimizer": adam(model)}


@answer("causal-leak")
def decoder_without_mask() -> Made:
    model = Decoder(masked=False)
    return {"model": model, "batch": words(), "step": next_word, "optimizer": adam(model)}


@answer("causal-leak")
def wavenet_padded_on_both_sides() -> Made:
    class Wave(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(40, 16)
            self.conv = nn.ModuleList([nn.Conv1d(16, 16, 3, padding=d, dilation=d) for d in (1, 2, 4)])
            self.head = nn.Linear(16, 40)

        def forward(self, ids: Tensor) -> Tensor:
            h = self.embed(ids).transpose(1, 2)
            for conv in self.conv:
                h = h + F.relu(conv(h))
            return self.head(h.transpose(1, 2))

    model = Wave()
    return {"model": model, "batch": words(), "step": next_word, "optimizer": adam(model)}


@answer("labels-all-ignored")
def prompt_fills_the_window() -> Made:
    model = Decoder()
    ids, target = words()

    def step(model: nn.Module, batch: Any) -> Tensor:
        return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten(), ignore_index=-100)

    return {"model": model, "batch": (ids, torch.full_like(target, -100)), "step": step,
            "optimizer": adam(model)}  # fmt: skip


class Output:
    """As a library of pretrained models returns it."""

    def __init__(self, loss: Tensor | None, logits: Tensor) -> None:
        self.loss, self.logits = loss, logits


class Classifier(nn.Module):
    def __init__(self, softmax: bool = False) -> None:
        super().__init__()
        self.embed = nn.Embedding(100, 32, padding_idx=0)
        layer = nn.TransformerEncoderLayer(32, 4, 64, 0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.classifier, self.softmax = nn.Linear(32, 3), softmax

    def forward(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None = None) -> Output:
        h = self.encoder(self.embed(input_ids), src_key_padding_mask=attention_mask == 0)
        logits = self.classifier(h[:, 0])
        if self.softmax:
            logits = logits.softmax(-1)
        return Output(None if labels is None else F.cross_entropy(logits, labels), logits)


def padded() -> dict[str, Tensor]:
    ids = torch.randint(1, 100, (12, 20))
    mask = torch.arange(20) < torch.randint(5, 21, (12, 1))
    return {"input_ids": ids * mask, "attention_mask": mask.long(), "labels": torch.randint(3, (12,))}


@answer()
def hf_style_dict() -> Made:
    model = Classifier()
    return {"model": model, "batch": padded(), "optimizer": torch.optim.AdamW(model.parameters(), lr=5e-5)}


@answer("double-softmax")
def hf_style_with_softmax() -> Made:
    model = Classifier(softmax=True)
    return {"model": model, "batch": padded(), "optimizer": torch.optim.AdamW(model.parameters(), lr=5e-5)}


@answer()
def masked_language_model() -> Made:
    """Bidirectional on purpose: targets are the hidden words, not the next ones."""
    model = Decoder(masked=False)
    ids = torch.randint(2, 40, (8, 16))
    hide = torch.rand(8, 16) < 0.25

    def step(model: nn.Module, batch: Any) -> Tensor:
        return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten(), ignore_index=-100)

    batch = (ids.masked_fill(hide, 1), ids.masked_fill(~hide, -100))
    return {"model": model, "batch": batch, "step": step, "optimizer": adam(model)}
