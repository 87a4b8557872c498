import torch
import torch.nn.functional as F

from data import D_DIM, Q_DIM, batches, make_log
from metrics import ndcg
from model import ResidualReranker

EPOCHS, BATCH, LR = 15, 64, 2e-3


@torch.no_grad()
def evaluate(model, log):
    model.eval()
    q, d, s, y = log
    scores = model(q, d, s)
    return F.binary_cross_entropy_with_logits(scores, y).item(), ndcg(scores, y)


def main():
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(1)
    train, val, test = make_log(4000, 11), make_log(600, 12), make_log(1000, 13)

    model = ResidualReranker(Q_DIM, D_DIM)
    opt = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)

    print(f"first stage alone: val NDCG@10 {ndcg(val[2], val[3]):.4f}")
    for epoch in range(1, EPOCHS + 1):
        model.train()
        run, seen = 0.0, 0
        for q, d, s, y in batches(train, BATCH, gen):
            opt.zero_grad()
            loss = F.binary_cross_entropy_with_logits(model(q, d, s), y)
            loss.backward()
            opt.step()
            run += loss.item() * len(q)
            seen += len(q)
        sched.step()
        val_loss, val_ndcg = evaluate(model, val)
        print(f"epoch {epoch:2d} | train loss {run / seen:.4f} | val loss {val_loss:.4f} | val NDCG@10 {val_ndcg:.4f}")

    _, final = evaluate(model, test)
    print(f"test NDCG@10: first stage {ndcg(test[2], test[3]):.4f}, reranked {final:.4f}")


if __name__ == "__main__":
    main()
