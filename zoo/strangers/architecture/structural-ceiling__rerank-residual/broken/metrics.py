import torch


def ndcg(scores, gains, k=10):
    """Mean NDCG@k over the queries that have at least one click."""
    disc = 1.0 / torch.log2(torch.arange(k, dtype=torch.float32) + 2.0)
    top = scores.topk(k, dim=1).indices
    dcg = (gains.gather(1, top) * disc).sum(1)
    ideal = (gains.sort(dim=1, descending=True).values[:, :k] * disc).sum(1)
    has = ideal > 0
    return (dcg[has] / ideal[has]).mean().item()
