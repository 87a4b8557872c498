def batch_hard(emb, lab, margin=0.2):
    with torch.no_grad():
        d = torch.cdist(emb, emb)
        same = lab[:, None] == lab[None]
        pos = d.masked_fill(~same, -1).argmax(1)
        neg = d.masked_fill(same, 1e9).argmin(1)
    return F.triplet_margin_loss(emb, emb[pos], emb[neg], margin=margin)
