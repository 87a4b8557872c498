"""Link prediction from free node embeddings with a small pair decoder."""
import numpy as np
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import nn

from graph import block_graph, edge_batches, sample_non_edges, split_edges
from rowopt import RowAdagrad


class PairModel(nn.Module):
    def __init__(self, n_nodes, dim=16, hidden=32):
        super().__init__()
        self.nodes = nn.Embedding(n_nodes, dim)
        nn.init.normal_(self.nodes.weight, std=0.3)
        self.decoder = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, pairs):
        a, b = self.nodes(pairs[:, 0]), self.nodes(pairs[:, 1])
        return self.decoder(a * b).squeeze(-1)


@torch.no_grad()
def ranking_scores(model, pos, neg):
    model.eval()
    s = torch.cat([model(pos), model(neg)]).numpy()
    y = np.r_[np.ones(len(pos)), np.zeros(len(neg))]
    return roc_auc_score(y, s), average_precision_score(y, s)


def main(epochs=25, batch_size=256, table_lr=0.08, decoder_lr=3e-3, seed=4):
    torch.manual_seed(seed)
    adj, edges, rng = block_graph(seed=seed)
    train_e, val_e, test_e = (torch.from_numpy(e) for e in split_edges(edges, rng))
    held_out_neg = sample_non_edges(adj, len(val_e) + len(test_e), rng)
    val_neg, test_neg = held_out_neg[:len(val_e)], held_out_neg[len(val_e):]
    print(f"{len(adj)} nodes, edges: {len(train_e)} train {len(val_e)} val {len(test_e)} test")

    model = PairModel(len(adj))
    optimizers = [
        RowAdagrad([model.nodes.weight], lr=table_lr),
        torch.optim.Adam(model.decoder.parameters(), lr=decoder_lr),
    ]
    criterion = nn.BCEWithLogitsLoss()
    gen = torch.Generator().manual_seed(seed)

    for epoch in range(1, epochs + 1):
        model.train()
        losses = []
        for pairs, target in edge_batches(train_e, batch_size, len(adj), gen):
            loss = criterion(model(pairs), target)
            for o in optimizers:
                o.zero_grad()
            loss.backward()
            for o in optimizers:
                o.step()
            losses.append(loss.item())
        if epoch % 5 == 0 or epoch == 1:
            auc, ap = ranking_scores(model, val_e, val_neg)
            print(f"epoch {epoch:2d}: loss {np.mean(losses):.4f}  val AUC {auc:.3f}  AP {ap:.3f}")

    auc, ap = ranking_scores(model, test_e, test_neg)
    print(f"test AUC {auc:.3f}  AP {ap:.3f}")


if __name__ == "__main__":
    main()
