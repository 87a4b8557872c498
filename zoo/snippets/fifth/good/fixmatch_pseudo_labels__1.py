for (xl, yl), (weak, strong) in zip(labelled, unlabelled):
    with torch.no_grad():
        probs = model(weak).softmax(-1)
        conf, pseudo = probs.max(-1)
        mask = (conf > 0.95).float()
    sup = F.cross_entropy(model(xl), yl)
    unsup = (F.cross_entropy(model(strong), pseudo, reduction="none") * mask).mean()
    loss = sup + unsup
    opt.zero_grad()
    loss.backward()
    opt.step()
