import torch


def sgd(model, data, loss_fn, lr, clip):
    for x, y in data:
        model.zero_grad()
        loss_fn(model(x), y).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)


def critic_step(critic, opt, real, fake):
    opt.zero_grad()
    (critic(fake).mean() - critic(real).mean()).backward()
    opt.step()
    for p in critic.parameters():
        p.data.clamp_(-0.01, 0.01)
