import torch


def invert(classifier, start, goal, criterion):
    """The code is optimised, the network only hands gradients on."""
    classifier.eval()
    code = start.clone().requires_grad_()
    optimizer = torch.optim.Adam([code], lr=0.1)
    for _ in range(200):
        error = criterion(classifier(code), goal)
        error.backward()
        classifier.zero_grad()
        optimizer.step()
        optimizer.zero_grad()
    return code.detach()


def adversarial(gen, disc, opt_g, opt_d, criterion, real, noise, one, zero):
    disc.train()
    error = criterion(disc(real), one) + criterion(disc(gen(noise)), zero)
    error.backward()
    gen.zero_grad()
    opt_d.step()
    disc.zero_grad()
    criterion(disc(gen(noise)), one).backward()
    disc.zero_grad()
    opt_g.step()
    gen.zero_grad()
