"""Configuration objects and the component registry."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict


class Registry:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: Dict[str, Callable[..., Any]] = {}

    def register(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def deco(obj: Callable[..., Any]) -> Callable[..., Any]:
            if name in self._items:
                raise KeyError(f"{self.kind} '{name}' registered twice")
            self._items[name] = obj
            return obj
        return deco

    def build(self, name: str, **kwargs: Any) -> Any:
        return self._items[name](**kwargs)


MODELS = Registry("model")
DATASETS = Registry("dataset")


@dataclass(frozen=True)
class StageConfig:
    name: str
    epochs: int
    lr_head: float
    lr_backbone: float
    freeze_backbone: bool
    weight_decay: float = 1e-3


@dataclass(frozen=True)
class ExperimentConfig:
    seed: int = 11
    image_size: int = 24
    batch_size: int = 64
    pretrain_samples: int = 1800
    finetune_samples: int = 240
    eval_samples: int = 600
    pretrain: StageConfig = field(default_factory=lambda: StageConfig("pretrain", 4, 3e-3, 3e-3, False))
    warm_head: StageConfig = field(default_factory=lambda: StageConfig("head-only", 12, 5e-3, 0.0, True))
    full: StageConfig = field(default_factory=lambda: StageConfig("discriminative", 12, 1e-3, 2e-4, False))
