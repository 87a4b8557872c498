import torch.nn.functional as F


def neg_cos(p, z):
    return -F.cosine_similarity(p, z.detach(), dim=1).mean()


def train_epoch(backbone, projector, predictor, loader, opt, device):
    for m in (backbone, projector, predictor):
        m.train()
    for (x1, x2), _ in loader:
        z1 = projector(backbone(x1.to(device)))
        z2 = projector(backbone(x2.to(device)))
        p1, p2 = predictor(z1), predictor(z2)
        loss = 0.5 * neg_cos(p1, z2) + 0.5 * neg_cos(p2, z1)
        opt.zero_grad()
        loss.backward()
        opt.step()
