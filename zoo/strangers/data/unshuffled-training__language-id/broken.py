# %% [markdown]
# # Which (invented) language is this word list?
# Exercise 4 of the course: a two-layer network written with plain tensors, no nn.Module.
# Every "language" is a letter-transition matrix; a document is 60 letters drawn from it.

# %%
import math

import torch
import torch.nn.functional as F

torch.manual_seed(0)
N_LANG, LETTERS, DOC_LEN = 8, 12, 80
DOCS_PER_LANG = 900
HELD_OUT = 100

# %% Languages: all share a family grammar, each with its own dialect on top.
family = torch.randn(LETTERS, LETTERS)
dialects = [F.softmax(family + 0.45 * torch.randn(LETTERS, LETTERS), dim=1) for _ in range(N_LANG)]


def write_documents(transition, n):
    letters = torch.randint(0, LETTERS, (n,))
    doc = [letters]
    for _ in range(DOC_LEN - 1):
        letters = torch.multinomial(transition[letters], 1).squeeze(1)
        doc.append(letters)
    return torch.stack(doc, dim=1)


def bigram_features(docs):
    pair = docs[:, :-1] * LETTERS + docs[:, 1:]
    counts = torch.zeros(len(docs), LETTERS * LETTERS)
    counts.scatter_add_(1, pair, torch.ones(pair.shape))
    return counts.sqrt()


# %% Corpus: the last HELD_OUT documents of every language are kept for the test.
train_x, train_y, test_x, test_y = [], [], [], []
for lang, transition in enumerate(dialects):
    feats = bigram_features(write_documents(transition, DOCS_PER_LANG))
    train_x.append(feats[:-HELD_OUT])
    test_x.append(feats[-HELD_OUT:])
    train_y.append(torch.full((DOCS_PER_LANG - HELD_OUT,), lang))
    test_y.append(torch.full((HELD_OUT,), lang))
X, Y = torch.cat(train_x), torch.cat(train_y)
X_test, Y_test = torch.cat(test_x), torch.cat(test_y)

mean, std = X.mean(0), X.std(0) + 0.1
X, X_test = (X - mean) / std, (X_test - mean) / std
print("train", tuple(X.shape), "test", tuple(X_test.shape))

# %% Parameters
HIDDEN = 48


def he(n_in, n_out):
    return torch.randn(n_in, n_out) * math.sqrt(2 / n_in)


params = {
    "w1": he(LETTERS * LETTERS, HIDDEN), "b1": torch.zeros(HIDDEN),
    "w2": he(HIDDEN, N_LANG) * 0.5, "b2": torch.zeros(N_LANG),
}
for p in params.values():
    p.requires_grad_(True)
velocity = {k: torch.zeros_like(p) for k, p in params.items()}


def forward(x, p):
    h = torch.relu(x @ p["w1"] + p["b1"])
    return h @ p["w2"] + p["b2"]


def sgd_step(p, lr, momentum=0.9, decay=1e-3):
    with torch.no_grad():
        for k in p:
            velocity[k].mul_(momentum).add_(p[k].grad + decay * p[k])
            p[k].sub_(lr * velocity[k])
            p[k].grad = None


def minibatches(x, y, size):
    for start in range(0, len(x), size):
        rows = slice(start, start + size)
        yield x[rows], y[rows]


# %% Training
BATCH, EPOCHS, LR = 32, 6, 0.05
for epoch in range(EPOCHS):
    seen, total = 0, 0.0
    for xb, yb in minibatches(X, Y, BATCH):
        loss = F.cross_entropy(forward(xb, params), yb)
        loss.backward()
        sgd_step(params, LR)
        total += loss.item() * len(xb)
        seen += len(xb)
    print(f"epoch {epoch:2d}  mean training loss {total / seen:.4f}")

# %% Evaluation
with torch.no_grad():
    guess = forward(X_test, params).argmax(1)
    print(f"test accuracy {(guess == Y_test).float().mean():.3f}")
    table = torch.zeros(N_LANG, N_LANG, dtype=torch.long)
    table.index_put_((Y_test, guess), torch.ones(len(guess), dtype=torch.long), accumulate=True)
    print("confusion (rows = truth)")
    for row in table.tolist():
        print("  " + " ".join(f"{v:3d}" for v in row))
