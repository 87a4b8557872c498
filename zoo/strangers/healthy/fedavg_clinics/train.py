import json
import random

import torch
from sklearn.metrics import roc_auc_score
from torch import nn

from clinics import federate, secure_moments
from server import Server, local_update

ROUNDS, FRACTION, LOCAL_EPOCHS = 60, 0.6, 2


def main():
    random.seed(0)
    torch.manual_seed(0)
    clinics, holdout = federate(n_clinics=10, alpha=0.8, seed=0)
    mu, sd = secure_moments(clinics)

    def prep(x, y):
        return torch.from_numpy((x - mu) / sd), torch.from_numpy(y)

    sites = [prep(*c) for c in clinics]
    Xh, yh = prep(*holdout)
    print(json.dumps({"sites": [{"n": len(y), "benign": round(y.mean().item(), 2)} for _, y in sites]}))

    server = Server(nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 1)))
    gen = torch.Generator().manual_seed(1)
    for rnd in range(1, ROUNDS + 1):
        invited = random.sample(range(len(sites)), max(2, int(FRACTION * len(sites))))
        updates, losses = [], []
        for i in invited:
            state, loss = local_update(server.model, *sites[i], LOCAL_EPOCHS, lr=0.05, batch=16, gen=gen)
            updates.append((len(sites[i][1]), state))
            losses.append((len(sites[i][1]), loss))
        server.aggregate(updates)
        if rnd % 6 == 0 or rnd == 1:
            n = sum(k for k, _ in losses)
            print(json.dumps({"round": rnd, "site_loss": round(sum(k * l for k, l in losses) / n, 4)}))

    server.model.eval()
    with torch.no_grad():
        z = server.model(Xh).squeeze(1)
        bce = nn.functional.binary_cross_entropy_with_logits(z, yh).item()
    acc = ((z > 0).float() == yh).float().mean().item()
    print(json.dumps({"holdout": {"bce": round(bce, 4), "acc": round(acc, 4),
                                  "auc": round(roc_auc_score(yh.numpy(), z.numpy()), 4)}}))


if __name__ == "__main__":
    main()
