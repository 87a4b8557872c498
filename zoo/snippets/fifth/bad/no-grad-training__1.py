@torch.no_grad()
def embed(model, x):
    return model(x)

for epoch in range(10):
    for anchor, pos, neg in triplets:
        opt.zero_grad()
        a, p, n = embed(model, anchor), embed(model, pos), embed(model, neg)
        loss = F.triplet_margin_loss(a, p, n)
        loss.requires_grad_()
        loss.backward()
        opt.step()
