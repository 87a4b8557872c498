"""Pretrain a backbone on common pictograms, then adapt it to rarer ones with few labels."""
from __future__ import annotations

import torch

import data  # noqa: F401  (fills the registry)
from config import DATASETS, MODELS, ExperimentConfig
from engine import Classifier, Trainer

SOURCE = ("disc", "frame", "hbar", "vbar", "plus")
TARGET = ("ring", "square", "cross", "diamond", "tee")
FEATURE_DIM = 48 * 3 * 3


def main(cfg: ExperimentConfig) -> None:
    torch.manual_seed(cfg.seed)

    def dataset(kinds, n, offset):
        return DATASETS.build("pictograms", kinds=kinds, n=n, size=cfg.image_size, seed=cfg.seed * 1000 + offset)

    source_train = dataset(SOURCE, cfg.pretrain_samples, 1)
    source_val = dataset(SOURCE, cfg.eval_samples, 2)
    target_train = dataset(TARGET, cfg.finetune_samples, 3)
    target_test = dataset(TARGET, cfg.eval_samples, 4)

    backbone = MODELS.build("tiny_cnn")
    pre = Trainer(Classifier(backbone, FEATURE_DIM, len(SOURCE)), cfg.batch_size)
    pre.run(cfg.pretrain, source_train)
    print(f"source val accuracy {pre.accuracy(source_val):.4f}")

    tuned = Trainer(Classifier(backbone, FEATURE_DIM, len(TARGET)), cfg.batch_size)
    tuned.run(cfg.warm_head, target_train)
    print(f"target accuracy, frozen backbone {tuned.accuracy(target_test):.4f}")
    tuned.run(cfg.full, target_train)

    majority = torch.bincount(target_train.tensors[1]).argmax()
    naive = (target_test.tensors[1] == majority).float().mean().item()
    print(f"target accuracy, fine-tuned {tuned.accuracy(target_test):.4f} | majority {naive:.4f}")


if __name__ == "__main__":
    main(ExperimentConfig())
