"""Who wrote this?  Embedding learning where the people in the test set were never seen in training."""
import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupShuffleSplit

rng = np.random.default_rng(55)
torch.manual_seed(55)


def pen_strokes(n_writers=180, per_writer=12, dim=36):
    style = rng.normal(size=(n_writers, 8))
    lift = rng.normal(size=(8, 64)) / 2
    mix = rng.normal(size=(64, dim)) / 4
    mood = rng.normal(size=(6, dim))
    who = np.repeat(np.arange(n_writers), per_writer)
    z = style[who] + 0.30 * rng.normal(size=(len(who), 8))
    x = np.tanh(z @ lift) @ mix + 0.8 * rng.normal(size=(len(who), 6)) @ mood + 0.1 * rng.normal(size=(len(who), dim))
    return x.astype(np.float32), who


X, writer = pen_strokes()
fit_rows, new_rows = next(GroupShuffleSplit(1, test_size=0.33, random_state=0).split(X, writer, writer))
assert not set(writer[fit_rows]) & set(writer[new_rows])
centre, spread = X[fit_rows].mean(0), X[fit_rows].std(0)
X = torch.from_numpy((X - centre) / spread)


class Embedder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(36, 128), torch.nn.ReLU(), torch.nn.Linear(128, 128), torch.nn.ReLU(),
            torch.nn.Linear(128, 24))
        self.log_scale = torch.nn.Parameter(torch.tensor(np.log(5.0), dtype=torch.float32))

    def forward(self, x):
        return torch.nn.functional.normalize(self.net(x), dim=-1)


def episode(pool, people=20, support=4, query=4):
    chosen = rng.choice(np.unique(writer[pool]), people, replace=False)
    rows = np.stack([rng.choice(pool[writer[pool] == c], support + query, replace=False) for c in chosen])
    return X[rows[:, :support]], X[rows[:, support:]]


def episode_loss(model, s, q):
    protos = torch.nn.functional.normalize(model(s).mean(1), dim=-1)
    sims = model(q) @ protos.T * model.log_scale.exp().clamp(max=60)
    truth = torch.arange(len(protos))[:, None].expand(-1, q.shape[1])
    loss = torch.nn.functional.cross_entropy(sims.flatten(0, 1), truth.reshape(-1))
    return loss, (sims.argmax(-1) == truth).float().mean()


@torch.no_grad()
def report(model, rows):
    model.eval()
    e = model(X[rows])
    w = torch.from_numpy(writer[rows])
    sim = e @ e.T
    sim.fill_diagonal_(-2)
    rank1 = (w[sim.argmax(1)] == w).float().mean().item()
    i, j = torch.triu_indices(len(rows), len(rows), 1)
    auc = roc_auc_score((w[i] == w[j]).numpy(), sim[i, j].numpy())
    model.train()
    return rank1, auc


model = Embedder()
slow = {"params": [model.log_scale], "lr": 1e-3, "weight_decay": 0.0}
fast = {"params": list(model.net.parameters()), "lr": 2e-3, "weight_decay": 1e-3}
opt = torch.optim.AdamW([fast, slow])
anneal = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 300)
print("untrained: unseen-writer rank-1 %.3f, verification AUC %.3f" % report(model, new_rows))
trace = []
for step in range(1, 301):
    loss, hit = episode_loss(model, *episode(fit_rows))
    opt.zero_grad()
    loss.backward()
    opt.step()
    anneal.step()
    trace.append((loss.item(), hit.item()))
    if step % 30 == 0:
        l, h = np.mean(trace, axis=0)
        trace = []
        r1, auc = report(model, new_rows)
        print("step %3d  episode loss %.4f  episode hit rate %.3f  scale %.1f | unseen writers: rank-1 %.3f  AUC %.3f"
              % (step, l, h, model.log_scale.exp().item(), r1, auc))
