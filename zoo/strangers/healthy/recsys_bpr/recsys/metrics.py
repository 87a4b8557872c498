import torch


def rank_metrics(scores, target, exclude, k=10):
    """Full ranking over the catalogue, with already consumed items removed."""
    s = scores.masked_fill(exclude, float("-inf"))
    t = torch.as_tensor(target)
    own = s.gather(1, t[:, None])
    rank = (s > own).sum(1)
    hit = (rank < k).float()
    return {"hr": hit.mean().item(), "ndcg": (hit / torch.log2(rank + 2.0)).mean().item()}
