"""Learn to rank community answers from pairwise votes with the HF Trainer.

Every vote names a preferred and a rejected answer to the same question. A scorer maps an answer's feature
vector to a number (Burges et al. 2005, RankNet); at serving time answers are scored one list at a time.
"""
import logging

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed

logging.getLogger("transformers").setLevel(logging.ERROR)

N_FEATURES = 14


def latent_quality(x):
    """How useful an answer really is; readers vote on this with noise."""
    length, links, code, rep, age = x[..., 0], x[..., 1], x[..., 2], x[..., 3], x[..., 4]
    q = 1.1 * rep + 0.8 * length - 0.35 * length ** 2 + 0.7 * code * (links > 0) - 0.4 * age
    return q + 0.6 * np.tanh(x[..., 5] + x[..., 6])


def make_questions(n, answers, rng):
    topic = rng.normal(0, 0.6, (n, 1, N_FEATURES))
    return (topic + rng.normal(0, 1.0, (n, answers, N_FEATURES))).astype(np.float32)


class VoteDataset(Dataset):
    def __init__(self, feats, rng, votes_per_question=4, vote_noise=0.5):
        rows = []
        quality = latent_quality(feats)
        for q in range(len(feats)):
            for _ in range(votes_per_question):
                a, b = rng.choice(feats.shape[1], 2, replace=False)
                gap = quality[q, a] - quality[q, b] + rng.logistic(0, vote_noise)
                rows.append((q, a, b) if gap > 0 else (q, b, a))
        self.rows, self.feats = rows, feats

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        q, win, lose = self.rows[i]
        return {"preferred": torch.from_numpy(self.feats[q, win]), "rejected": torch.from_numpy(self.feats[q, lose])}


class AnswerScorer(nn.Module):
    def __init__(self, n_features=N_FEATURES, width=48):
        super().__init__()
        self.net = nn.Sequential(
            nn.BatchNorm1d(n_features),
            nn.Linear(n_features, width, bias=False), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Linear(width, width, bias=False), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Linear(width, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


class RankNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.scorer = AnswerScorer()

    def forward(self, preferred, rejected):
        s_pos = self.scorer(preferred)
        s_neg = self.scorer(rejected)
        return {"loss": F.softplus(s_neg - s_pos).mean(), "margin": s_pos - s_neg}


class PrintLoss(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            print(f"step {state.global_step:4d}  epoch {state.epoch:4.1f}  train loss {float(logs['loss']):.4f}")


@torch.no_grad()
def rank_metrics(scorer, feats, k=5):
    scorer.eval()
    scores = scorer(torch.from_numpy(feats).flatten(0, 1)).view(feats.shape[:2]).numpy()
    quality = latent_quality(feats)
    rel = quality.argsort(1).argsort(1) / (feats.shape[1] - 1)
    disc = 1 / np.log2(np.arange(2, k + 2))
    top = np.take_along_axis(rel, (-scores).argsort(1)[:, :k], 1)
    ideal = -np.sort(-rel, 1)[:, :k]
    ndcg = (((2 ** top - 1) * disc).sum(1) / ((2 ** ideal - 1) * disc).sum(1)).mean()
    ds = np.sign(scores[:, :, None] - scores[:, None, :])
    dq = np.sign(quality[:, :, None] - quality[:, None, :])
    iu = np.triu_indices(feats.shape[1], 1)
    concordant = (ds == dq)[:, iu[0], iu[1]].mean()
    best = (scores.argmax(1) == quality.argmax(1)).mean()
    return {"ndcg@5": ndcg, "pair_acc": concordant, "best_first": best}


def main():
    set_seed(17)
    rng = np.random.default_rng(17)
    train_feats = make_questions(1200, 10, rng)
    test_feats = make_questions(400, 10, rng)
    train_set = VoteDataset(train_feats, rng)
    held_out_votes = VoteDataset(test_feats, rng, votes_per_question=2)
    print(f"{len(train_set)} training votes, {len(test_feats)} test questions")

    model = RankNet()
    args = TrainingArguments(
        output_dir="/tmp/ranknet_out",
        per_device_train_batch_size=64,
        per_device_eval_batch_size=256,
        num_train_epochs=8,
        learning_rate=2e-3,
        weight_decay=1e-3,
        lr_scheduler_type="cosine",
        logging_steps=75,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        remove_unused_columns=False,
        seed=17,
    )
    trainer = Trainer(model=model, args=args, train_dataset=train_set, callbacks=[PrintLoss()])
    trainer.train()

    model.eval()
    with torch.no_grad():
        votes = [held_out_votes[i] for i in range(len(held_out_votes))]
        out = model(torch.stack([v["preferred"] for v in votes]), torch.stack([v["rejected"] for v in votes]))
    print(f"held-out votes: loss {out['loss'].item():.4f}, agreement {(out['margin'] > 0).float().mean().item():.3f}")
    print("test questions: " + ", ".join(f"{k} {v:.3f}" for k, v in rank_metrics(model.scorer, test_feats).items()))


if __name__ == "__main__":
    main()
