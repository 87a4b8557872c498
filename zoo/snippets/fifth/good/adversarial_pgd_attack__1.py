def pgd(model, x, y, eps=8/255, alpha=2/255, iters=10):
    delta = torch.zeros_like(x).uniform_(-eps, eps).requires_grad_(True)
    for _ in range(iters):
        loss = F.cross_entropy(model(x + delta), y)
        grad, = torch.autograd.grad(loss, delta)
        delta.data = (delta + alpha * grad.sign()).clamp(-eps, eps).detach()
        delta.data = (x + delta.data).clamp(0, 1) - x
    return (x + delta).detach()

def adv_train(model, loader, opt):
    model.train()
    for x, y in loader:
        x_adv = pgd(model, x, y)
        opt.zero_grad()
        F.cross_entropy(model(x_adv), y).backward()
        opt.step()
