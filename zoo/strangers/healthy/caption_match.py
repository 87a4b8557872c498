"""Two-tower image/caption matching (CLIP style) on synthetic pairs; symmetric InfoNCE over the batch."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PairSource:
    """Pairs share a latent; each side sees it through its own fixed random nonlinear map."""

    def __init__(self, latent=8, img_dim=40, txt_dim=28, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.latent = latent
        self.a = torch.randn(latent, img_dim, generator=g) / math.sqrt(latent)
        self.b = torch.randn(latent, txt_dim, generator=g) / math.sqrt(latent)

    def draw(self, n, gen):
        z = torch.randn(n, self.latent, generator=gen)
        img = torch.tanh(1.5 * z @ self.a) + 0.1 * torch.randn(n, self.a.shape[1], generator=gen)
        txt = torch.tanh(1.5 * z @ self.b) + 0.1 * torch.randn(n, self.b.shape[1], generator=gen)
        return img, txt


def tower(d_in, d_out=24):
    return nn.Sequential(nn.Linear(d_in, 96), nn.GELU(), nn.LayerNorm(96), nn.Linear(96, d_out))


class TwoTower(nn.Module):
    def __init__(self, d_img, d_txt):
        super().__init__()
        self.img, self.txt = tower(d_img), tower(d_txt)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, img, txt):
        u = F.normalize(self.img(img), dim=-1)
        v = F.normalize(self.txt(txt), dim=-1)
        return self.log_scale.exp().clamp(max=100) * u @ v.T


def contrastive(sim):
    # the i-th image belongs to the i-th caption: once over the captions, once over the images
    over_captions = F.log_softmax(sim, dim=1).diagonal()
    over_images = F.log_softmax(sim, dim=0).diagonal()
    return -(over_captions.mean() + over_images.mean()) / 2


@torch.no_grad()
def recall_at(model, img, txt, ks=(1, 5)):
    model.eval()
    sim = model(img, txt)
    rank = (sim > sim.diagonal()[:, None]).sum(1)
    return [(rank < k).float().mean().item() for k in ks]


def main():
    torch.manual_seed(0)
    source = PairSource()
    gen = torch.Generator().manual_seed(1)
    img, txt = source.draw(4096, gen)
    img_te, txt_te = source.draw(256, gen)

    model = TwoTower(img.shape[1], txt.shape[1])
    decay = [p for n, p in model.named_parameters() if p.ndim > 1]
    plain = [p for n, p in model.named_parameters() if p.ndim <= 1]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=2e-3)
    epochs, bs = 14, 128
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs * (len(img) // bs))
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(img)).split(bs):
            loss = contrastive(model(img[idx], txt[idx]))
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(idx)
        if epoch % 3 == 1:
            print(f"{epoch:2d} info-nce {total / len(img):.4f}")
    r1, r5 = recall_at(model, img_te, txt_te)
    print(f"retrieval over {len(img_te)} unseen pairs: R@1 {r1:.3f}  R@5 {r5:.3f}")


if __name__ == "__main__":
    main()
