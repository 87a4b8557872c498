import numpy as np
import torch
import torch.nn.functional as F

from recsys import FactorModel, TripletSampler, leave_last_out, rank_metrics, simulate_interactions

USERS, ITEMS, DIM = 800, 400, 8
torch.manual_seed(3)

histories, dev_item, test_item = leave_last_out(simulate_interactions(USERS, ITEMS, DIM, per_user=34, seed=3))
sampler = TripletSampler(histories, ITEMS, n_neg=4, batch=512, seed=4)
seen = torch.from_numpy(sampler.seen)
seen_plus_dev = seen.clone()
seen_plus_dev[torch.arange(USERS), torch.from_numpy(dev_item)] = True

popularity = torch.from_numpy(np.bincount(sampler.items, minlength=ITEMS)).float().expand(USERS, ITEMS)
base = rank_metrics(popularity, test_item, seen_plus_dev)
print(f"popularity baseline  HR@10 {base['hr']:.3f}  NDCG@10 {base['ndcg']:.3f}")

model = FactorModel(USERS, ITEMS, 16)
opt = torch.optim.SparseAdam(list(model.parameters()), lr=0.01)
best, keep, patience = 0.0, None, 0
for epoch in range(1, 61):
    tot = 0.0
    for u, pos, neg in sampler:
        s, reg = model(u, torch.cat([pos[:, None], neg], 1))
        loss = -F.logsigmoid(s[:, :1] - s[:, 1:]).mean()
        opt.zero_grad()
        (loss + 0.006 * reg).backward()
        opt.step()
        tot += loss.item()
    m = rank_metrics(model.score_all(), dev_item, seen)
    marker = ""
    if m["ndcg"] > best:
        best, keep, patience, marker = m["ndcg"], {k: v.clone() for k, v in model.state_dict().items()}, 0, " *"
    else:
        patience += 1
    if epoch % 4 == 0:
        print(f"epoch {epoch:02d}  bpr {tot / len(sampler):.4f}  dev HR@10 {m['hr']:.3f}  NDCG@10 {m['ndcg']:.3f}{marker}")
    if patience == 10:
        print(f"no dev gain for 10 epochs, stop at {epoch}")
        break

model.load_state_dict(keep)
final = rank_metrics(model.score_all(), test_item, seen_plus_dev)
print(f"test HR@10 {final['hr']:.3f}  NDCG@10 {final['ndcg']:.3f}  (random HR {10 / (ITEMS - 33):.3f})")
