import torch
import torch.nn.functional as F


def vq_loss(z, codebook, beta=0.25):
    index = torch.cdist(z, codebook.weight).argmin(1)
    q = codebook(index)
    loss = F.mse_loss(q, z.detach()) + beta * F.mse_loss(z, q.detach())
    return z + (q - z).detach(), loss


def train(encoder, decoder, codebook, loader, opt):
    for x in loader:
        z = encoder(x)
        q, commit = vq_loss(z, codebook)
        loss = F.mse_loss(decoder(q), x) + commit
        opt.zero_grad()
        loss.backward()
        opt.step()


def pseudo(model, opt, x):
    out = model(x)
    confident = (out.softmax(1).max(1).values > 0.9).float()
    labels = out.argmax(1)
    loss = (F.cross_entropy(out, labels, reduction="none") * confident).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
