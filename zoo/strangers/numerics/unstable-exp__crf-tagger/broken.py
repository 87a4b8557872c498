# %% [markdown]
# Segment tagging of symbol streams: BiGRU emissions and a linear-chain CRF on top.
# The streams come from a hidden four-state process, each state with its own symbol habits.

# %%
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 21
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)

# %% data
N_TAGS, VOCAB, T = 4, 30, 36
stay = 0.82
transition = np.full((N_TAGS, N_TAGS), (1 - stay) / (N_TAGS - 1))
np.fill_diagonal(transition, stay)
emission = rng.dirichlet(np.full(VOCAB, 0.35), size=N_TAGS)


def streams(n):
    tags = np.zeros((n, T), dtype=np.int64)
    syms = np.zeros((n, T), dtype=np.int64)
    for i in range(n):
        s = rng.integers(N_TAGS)
        for t in range(T):
            tags[i, t] = s
            syms[i, t] = rng.choice(VOCAB, p=emission[s])
            s = rng.choice(N_TAGS, p=transition[s])
    return torch.from_numpy(syms), torch.from_numpy(tags)


train_x, train_y = streams(700)
valid_x, valid_y = streams(150)
test_x, test_y = streams(250)
loader = DataLoader(TensorDataset(train_x, train_y), batch_size=32, shuffle=True)


# %% model
class CRF(nn.Module):
    def __init__(self, n_tags):
        super().__init__()
        self.trans = nn.Parameter(0.01 * torch.randn(n_tags, n_tags))
        self.start = nn.Parameter(torch.zeros(n_tags))

    def path_score(self, emit, tags):
        picked = emit.gather(2, tags.unsqueeze(2)).squeeze(2).sum(1)
        moves = self.trans[tags[:, :-1], tags[:, 1:]].sum(1)
        return picked + moves + self.start[tags[:, 0]]

    def log_partition(self, emit):
        alpha = self.start + emit[:, 0]
        for t in range(1, emit.shape[1]):
            scores = alpha.unsqueeze(2) + self.trans + emit[:, t].unsqueeze(1)
            alpha = torch.log(torch.exp(scores).sum(dim=1))
        return torch.log(torch.exp(alpha).sum(dim=1))

    def nll(self, emit, tags):
        return (self.log_partition(emit) - self.path_score(emit, tags)).mean() / emit.shape[1]

    def decode(self, emit):
        best = self.start + emit[:, 0]
        back = []
        for t in range(1, emit.shape[1]):
            cand = best.unsqueeze(2) + self.trans + emit[:, t].unsqueeze(1)
            best, arg = cand.max(dim=1)
            back.append(arg)
        tag = best.argmax(1)
        path = [tag]
        for arg in reversed(back):
            tag = arg.gather(1, tag.unsqueeze(1)).squeeze(1)
            path.append(tag)
        return torch.stack(path[::-1], dim=1)


class Tagger(nn.Module):
    def __init__(self, dim=24, hidden=32):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.rnn = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.3)
        self.emit = nn.Linear(2 * hidden, N_TAGS)
        self.crf = CRF(N_TAGS)

    def forward(self, x):
        h, _ = self.rnn(self.drop(self.embed(x)))
        return self.emit(self.drop(h))


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model.crf.decode(model(x)) == y).float().mean().item()


# %% training
model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-4)
EPOCHS = 12
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.1, total_iters=EPOCHS)
for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for xb, yb in loader:
        loss = model.crf.nll(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        total += loss.item() * len(xb)
    sched.step()
    print(f"epoch {epoch + 1:2d}  nll/token {total / len(train_x):.4f}  valid acc {accuracy(model, valid_x, valid_y):.3f}")

# %% held-out result
print(f"test tag accuracy {accuracy(model, test_x, test_y):.3f}")
