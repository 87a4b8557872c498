import io

import torch
from torch import nn

from model import Autoencoder, Downstream, patterns

torch.manual_seed(77)


def pretrain(x, steps=400):
    net = Autoencoder()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for s in range(steps):
        xb = x[torch.randint(0, len(x), (64,))]
        loss = nn.functional.mse_loss(net(xb + 0.3 * torch.randn_like(xb)), xb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"pretraining reconstruction {loss.item():.4f}")
    buf = io.BytesIO()
    torch.save({"model": net.state_dict(), "step": steps}, buf)
    return buf.getvalue()


def load_encoder(model, blob):
    ckpt = torch.load(io.BytesIO(blob))
    weights = {k: v for k, v in ckpt["model"].items() if k.startswith("encoder.")}
    model.encoder.load_state_dict(weights, strict=False)
    print(f"loaded encoder from step {ckpt['step']} ({len(weights)} tensors)")


def finetune(model, x, y, epochs=60):
    model.encoder.requires_grad_(False)
    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    for e in range(epochs):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if e % 15 == 14:
            print(f"finetune {e + 1} loss {loss.item():.4f}")


if __name__ == "__main__":
    unlabelled, _ = patterns(4000)
    blob = pretrain(unlabelled)
    model = Downstream()
    load_encoder(model, blob)
    finetune(model, *patterns(60))
    xt, yt = patterns(1000)
    with torch.no_grad():
        print(f"downstream accuracy {(model(xt).argmax(1) == yt).float().mean():.3f}")
