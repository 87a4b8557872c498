"""PyTorch port of our old TF1 text-CNN (Kim 2014) for short product reviews."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HPARAMS = dict(
    embed_dim=24,
    filter_sizes=(2, 3, 4),
    num_filters=16,
    keep_prob=0.8,
    l2=1e-5,
    learning_rate=3e-3,
    batch_size=50,
    num_epochs=8,
)

POS = "great lovely solid quick sturdy superb pleasant bright".split()
NEG = "awful flimsy slow broken dull noisy cheap sticky".split()
FILL = ("the a this it product box handle colour was is arrived after week my friend said on in and really "
        "cable lid size blue small kitchen desk screw delivery order again").split()
NOT = ["not", "hardly", "never"]
VOCAB = {w: i + 1 for i, w in enumerate(POS + NEG + FILL + NOT)}
MAXLEN = 18


def write_review(rng):
    label = int(rng.random() < 0.5)
    words = list(rng.choice(FILL, size=rng.integers(7, 12)))
    for _ in range(rng.integers(1, 3)):
        negate = rng.random() < 0.4
        pool = POS if (label == 1) != negate else NEG
        phrase = ([str(rng.choice(NOT))] if negate else []) + [str(rng.choice(pool))]
        at = int(rng.integers(0, len(words) + 1))
        words[at:at] = phrase
    ids = [VOCAB[w] for w in words[:MAXLEN]]
    return ids + [0] * (MAXLEN - len(ids)), label


def corpus(n, seed):
    rng = np.random.default_rng(seed)
    rows = [write_review(rng) for _ in range(n)]
    return torch.tensor([r[0] for r in rows]), torch.tensor([r[1] for r in rows])


class TextCNN(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.embedding = nn.Embedding(len(VOCAB) + 1, hp["embed_dim"], padding_idx=0)
        self.convs = nn.ModuleList(
            nn.Conv1d(hp["embed_dim"], hp["num_filters"], k) for k in hp["filter_sizes"]
        )
        self.dropout = nn.Dropout(hp["keep_prob"])
        self.output = nn.Linear(hp["num_filters"] * len(hp["filter_sizes"]), 2)

    def forward(self, ids):
        x = self.dropout(self.embedding(ids)).transpose(1, 2)
        h = torch.cat([F.relu(c(x)).amax(dim=2) for c in self.convs], dim=1)
        return self.output(self.dropout(h))


def batch_iter(x, y, size):
    for idx in torch.randperm(len(x)).split(size):
        yield x[idx], y[idx]


def eval_step(model, x, y):
    model.eval()
    with torch.no_grad():
        scores = model(x)
    return F.cross_entropy(scores, y).item(), (scores.argmax(1) == y).float().mean().item()


def main(hp):
    torch.manual_seed(10)
    x_train, y_train = corpus(2500, 0)
    x_dev, y_dev = corpus(500, 1)
    x_test, y_test = corpus(1000, 2)
    print("Vocabulary Size: %d" % len(VOCAB))
    print("Train/Dev split: %d/%d" % (len(y_train), len(y_dev)))
    model = TextCNN(hp)
    optimizer = torch.optim.Adam(model.parameters(), lr=hp["learning_rate"], weight_decay=hp["l2"])
    step = 0
    for epoch in range(hp["num_epochs"]):
        model.train()
        for xb, yb in batch_iter(x_train, y_train, hp["batch_size"]):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            optimizer.step()
            step += 1
            if step % 50 == 0:
                print("step %d, loss %.4f" % (step, loss.item()))
        print("Evaluation: epoch %d, loss %.4f, acc %.3f" % ((epoch,) + eval_step(model, x_dev, y_dev)))
    print("TEST: loss %.4f, acc %.3f" % eval_step(model, x_test, y_test))


if __name__ == "__main__":
    main(HPARAMS)
