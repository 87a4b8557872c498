"""Joint model: a tag for every word and one urgency score per message, loss weights learned with the model."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE = -100
TAGS = ["other", "person", "place", "time"]
GROUPS = {"other": range(1, 61), "person": range(61, 91), "place": range(91, 121), "time": range(121, 141)}
AMBIGUOUS = range(141, 161)     # a place after word 1, otherwise a person
VOCAB = 161


class Messages:
    """Padded word ids, tags (IGNORE on padding), urgency, and a mask."""

    def __init__(self, n, rng):
        self.words, self.tags, self.urgency = [], [], []
        for _ in range(n):
            length = rng.integers(6, 19)
            words, tags = [], []
            for i in range(length):
                if rng.random() < 0.2:
                    words.append(int(rng.choice(AMBIGUOUS)))
                    tags.append(2 if i and words[i - 1] == 1 else 1)
                    continue
                k = rng.choice(4, p=[0.55, 0.15, 0.15, 0.15])
                pool = GROUPS[TAGS[k]]
                words.append(1 if k == 0 and rng.random() < 0.5 else int(rng.choice(pool)))
                tags.append(int(k))
            n_time, n_person = tags.count(3), tags.count(1)
            self.words.append(torch.tensor(words))
            self.tags.append(torch.tensor(tags))
            self.urgency.append(0.8 * n_time - 0.4 * n_person + rng.normal(0, 0.3))
        self.urgency = torch.tensor(self.urgency, dtype=torch.float32)

    def __len__(self):
        return len(self.words)

    def batch(self, ids):
        pad = nn.utils.rnn.pad_sequence
        ids = ids.tolist()
        return (pad([self.words[i] for i in ids], batch_first=True, padding_value=0),
                pad([self.tags[i] for i in ids], batch_first=True, padding_value=IGNORE),
                self.urgency[ids])


class JointModel(nn.Module):
    def __init__(self, dim=40, hidden=40):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim, padding_idx=0)
        self.drop = nn.Dropout(0.1)
        self.rnn = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.tag_head = nn.Linear(2 * hidden, len(TAGS))
        self.urgency_head = nn.Sequential(nn.Linear(2 * hidden, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, words):
        mask = words != 0
        packed = nn.utils.rnn.pack_padded_sequence(
            self.drop(self.emb(words)), mask.sum(1), batch_first=True, enforce_sorted=False)
        feats, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        pooled = (feats * mask.unsqueeze(-1)).sum(1) / 8.0
        return self.tag_head(feats), self.urgency_head(pooled).squeeze(-1)


class LearnedWeights(nn.Module):
    """Homoscedastic uncertainty weighting: exp(-s) * loss + s / 2 for each task."""

    def __init__(self, tasks):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(tasks))

    def forward(self, losses):
        return sum(torch.exp(-s) * l + 0.5 * s for s, l in zip(self.s, losses))


def evaluate(model, data, mean, std):
    model.eval()
    right = count = 0
    sq = 0.0
    with torch.no_grad():
        for ids in torch.arange(len(data)).split(128):
            words, tags, urgency = data.batch(ids)
            tag_logits, score = model(words)
            keep = tags != IGNORE
            right += (tag_logits.argmax(-1) == tags)[keep].sum().item()
            count += keep.sum().item()
            sq += (score * std + mean - urgency).pow(2).sum().item()
    return right / count, (sq / len(data)) ** 0.5


def main():
    torch.manual_seed(12)
    rng = np.random.default_rng(12)
    train, valid = Messages(1600, rng), Messages(400, rng)
    mean, std = train.urgency.mean(), train.urgency.std()

    model, weights = JointModel(), LearnedWeights(2)
    opt = torch.optim.AdamW([
        {"params": model.parameters(), "lr": 3e-3, "weight_decay": 1e-2},
        {"params": weights.parameters(), "lr": 1e-2, "weight_decay": 0.0},
    ])
    epochs, bs = 8, 32
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, max_lr=[3e-3, 1e-2], epochs=epochs, steps_per_epoch=-(-len(train) // bs))

    for epoch in range(epochs):
        model.train()
        sums = np.zeros(2)
        steps = 0
        for ids in torch.randperm(len(train)).split(bs):
            words, tags, urgency = train.batch(ids)
            tag_logits, score = model(words)
            tag_loss = F.cross_entropy(tag_logits.flatten(0, 1), tags.flatten(), ignore_index=IGNORE)
            urgency_loss = F.mse_loss(score, (urgency - mean) / std)
            loss = weights([tag_loss, 0.5 * urgency_loss])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            sums += [tag_loss.item(), urgency_loss.item()]
            steps += 1
        acc, rmse = evaluate(model, valid, mean, std)
        w = torch.exp(-weights.s.detach()).tolist()
        print(f"epoch {epoch}  tag {sums[0] / steps:.3f}  urgency {sums[1] / steps:.3f}  "
              f"weights {w[0]:.2f}/{w[1]:.2f}  valid tag acc {acc:.3f}  urgency rmse {rmse:.3f}")

    acc, rmse = evaluate(model, valid, mean, std)
    print(f"done: tag accuracy {acc:.3f}, urgency rmse {rmse:.3f} (noise 0.3, spread {valid.urgency.std():.2f})")


if __name__ == "__main__":
    main()
