import torch
import torch.nn.functional as F
from torchvision.models import vgg19

cnn = vgg19(weights="DEFAULT").features.eval().requires_grad_(False)
STYLE, CONTENT = {1, 6, 11, 20, 29}, {22}


def feats(x):
    s, c = [], []
    for i, layer in enumerate(cnn):
        if isinstance(layer, torch.nn.ReLU):
            layer = torch.nn.ReLU(inplace=False)
        x = layer(x)
        if i in STYLE:
            s.append(x)
        if i in CONTENT:
            c.append(x)
    return s, c


def gram(f):
    b, c, h, w = f.shape
    f = f.view(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


def transfer(content, style, steps=300, w_style=1e6):
    target_s = [gram(f).detach() for f in feats(style)[0]]
    target_c = [f.detach() for f in feats(content)[1]]
    img = content.clone().requires_grad_(True)
    opt = torch.optim.Adam([img], lr=0.02)
    for _ in range(steps):
        opt.zero_grad()
        s, c = feats(img)
        loss = w_style * sum(F.mse_loss(gram(a), b) for a, b in zip(s, target_s)) + sum(F.mse_loss(a, b) for a, b in zip(c, target_c))
        loss.backward()
        opt.step()
        with torch.no_grad():
            img.clamp_(-2.2, 2.7)
    return img.detach()
