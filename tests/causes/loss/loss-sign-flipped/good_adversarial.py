import torch
import torch.nn.functional as F


def attack(model, x, y, steps=10, lr=0.01):
    delta = torch.zeros_like(x, requires_grad=True)
    opt = torch.optim.Adam([delta], lr=lr)
    for _ in range(steps):
        loss = -F.cross_entropy(model(x + delta), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return (x + delta).detach()


def confuse(encoder, critic, x, domain, enc_opt, critic_opt):
    critic_loss = F.cross_entropy(critic(encoder(x).detach()), domain)
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    enc_loss = -F.cross_entropy(critic(encoder(x)), domain)
    enc_opt.zero_grad()
    enc_loss.backward()
    enc_opt.step()
