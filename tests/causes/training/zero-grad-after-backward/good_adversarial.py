import torch.nn.functional as F


def adversarial_step(model, optimizer, x, y, eps=0.03):
    x = x.clone().requires_grad_()
    F.cross_entropy(model(x), y).backward()
    perturbed = (x + eps * x.grad.sign()).detach()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(perturbed), y)
    loss.backward()
    optimizer.step()
    return loss.item()
