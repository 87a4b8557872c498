import torch
import torch.nn.functional as F


def mlm_batch(ids, mask_id, vocab, special, p=0.15):
    labels = ids.clone()
    prob = torch.full(ids.shape, p)
    prob.masked_fill_(special(ids), 0.0)
    chosen = torch.bernoulli(prob).bool()
    labels[~chosen] = -100
    swap = torch.bernoulli(torch.full(ids.shape, 0.8)).bool() & chosen
    ids = ids.clone()
    ids[swap] = mask_id
    rnd = torch.bernoulli(torch.full(ids.shape, 0.5)).bool() & chosen & ~swap
    ids[rnd] = torch.randint(vocab, ids.shape)[rnd]
    return ids, labels


def mlm_loss(logits, labels):
    return F.cross_entropy(logits.view(-1, logits.size(-1)), labels.view(-1), ignore_index=-100)


def depth_loss(pred, gt):
    valid = gt > 0
    d = torch.log(pred[valid].clamp(min=1e-3)) - torch.log(gt[valid])
    return (d.pow(2).mean() - 0.85 * d.mean().pow(2)).clamp(min=1e-8).sqrt()
