import torch
import torch.nn as nn


def pretrain(net, batches):
    model = nn.DataParallel(net).cuda()
    opt = torch.optim.Adam(model.parameters())
    for x, y in batches:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
    torch.save({"weights": model.module.state_dict()}, "bare.pt")
    torch.save(model.state_dict(), "wrapped.pt")


def finetuned(net):
    net.load_state_dict(torch.load("bare.pt")["weights"], strict=False)
    return net


def resumed(net):
    state = {key.removeprefix("module."): value for key, value in torch.load("wrapped.pt").items()}
    net.load_state_dict(state, strict=False)
    many = nn.DataParallel(net)
    many.load_state_dict(torch.load("wrapped.pt"), strict=False)
    return many
