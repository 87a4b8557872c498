import torch
import torch.nn.functional as F
from torchvision.models import vgg19

LAYERS = (0, 5, 10, 19, 28)


def gram(f):
    b, c, h, w = f.shape
    f = f.view(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


def features(net, x):
    out = []
    for i, layer in enumerate(net):
        x = layer(x)
        if i in LAYERS:
            out.append(x)
    return out


def stylize(content, style, steps=500, w=1e6, device="cuda"):
    net = vgg19(weights="DEFAULT").features.to(device).eval()
    for i, m in enumerate(net):
        if isinstance(m, torch.nn.ReLU):
            net[i] = torch.nn.ReLU(inplace=False)
    net.requires_grad_(False)
    with torch.no_grad():
        c = features(net, content)[3]
        s = [gram(f) for f in features(net, style)]
    img = content.clone().requires_grad_(True)
    opt = torch.optim.Adam([img], lr=0.02)
    for _ in range(steps):
        f = features(net, img)
        loss = F.mse_loss(f[3], c) + w * sum(F.mse_loss(gram(a), b) for a, b in zip(f, s))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return img.detach()
