# WGAN-GP on a closed curve in the plane. Two players, two optimizers, three critic steps per generator step.
import math
import torch
from torch import nn, autograd

torch.manual_seed(0)
rng = torch.Generator().manual_seed(1234)

STD, Z, B, N_CRITIC, LAMBDA, G_STEPS = 0.1, 2, 200, 3, 0.3, 1200


def real(n, g=rng):
    """A blurred three-petal curve."""
    a = torch.rand(n, generator=g) * 2 * math.pi
    r = 1.4 + 0.4 * torch.cos(3 * a)
    return torch.stack([r * a.cos(), r * a.sin()], 1) + STD * torch.randn(n, 2, generator=g)


def net(i, o, h=128):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2),
                         nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


gen, critic = net(Z, 2), net(2, 1)
avg = torch.optim.swa_utils.AveragedModel(gen, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99))
opt_g = torch.optim.Adam(gen.parameters(), lr=5e-4, betas=(0.5, 0.9))
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
ramp = lambda s: max(0.02, 1 - s / G_STEPS)   # the generator cools down, the critic stays quick
sch_g = torch.optim.lr_scheduler.LambdaLR(opt_g, ramp)
noise = lambda n: torch.randn(n, Z, generator=rng)


def penalty(x, f):
    t = torch.rand(len(x), 1, generator=rng)
    mid = torch.lerp(x, f, t).requires_grad_()
    slope, = autograd.grad(critic(mid).sum(), mid, create_graph=True)   # sum: one slope per row
    return (slope.norm(2, dim=1) - 1).square().mean()


@torch.no_grad()
def sliced_w1(a, b, n_proj=64):
    d = nn.functional.normalize(torch.randn(2, n_proj, generator=torch.Generator().manual_seed(5)), dim=0)
    return ((a @ d).sort(0).values - (b @ d).sort(0).values).abs().mean().item()


@torch.no_grad()
def judge(g, n=4000):
    g.eval()
    f = g(torch.randn(n, Z, generator=torch.Generator().manual_seed(77)))
    g.train()
    return f


def sectors(p, k=12):
    a = torch.atan2(p[:, 1], p[:, 0]) / (2 * math.pi) + 0.5
    return torch.bincount((a * k).long().clamp(max=k - 1), minlength=k) / len(p)


held_out = real(4000)
print("floor: sliced W1 of two real samples %.4f" % sliced_w1(real(4000), held_out))
w_sum = gp_sum = 0.0
for step in range(1, G_STEPS + 1):
    critic.requires_grad_(True)
    for _ in range(N_CRITIC):
        x = real(B)
        with torch.no_grad():
            f = gen(noise(B))
        gap = critic(x).mean() - critic(f).mean()
        gp = penalty(x, f)
        opt_c.zero_grad(set_to_none=True)
        (LAMBDA * gp - gap).backward()
        opt_c.step()
        w_sum, gp_sum = w_sum + gap.item(), gp_sum + gp.item()

    critic.requires_grad_(False)          # saves work: the generator only needs d critic / d input
    opt_g.zero_grad(set_to_none=True)
    (-critic(gen(noise(B))).mean()).backward()
    opt_g.step()
    avg.update_parameters(gen)
    sch_g.step()

    if step % 100 == 0:
        f = judge(avg)
        n = 100 * N_CRITIC
        print(f"{step:5d}  critic gap {w_sum / n:.4f}  penalty {gp_sum / n:.4f}  sliced W1 {sliced_w1(f, held_out):.4f}"
              f"  emptiest sector {sectors(f).min():.3f}")
        w_sum = gp_sum = 0.0

f, test = judge(avg), real(4000)
print("share per sector, made", [round(v, 3) for v in sectors(f).tolist()])
print("share per sector, real", [round(v, 3) for v in sectors(test).tolist()])
print(f"final: sliced W1 to a fresh real sample {sliced_w1(f, test):.4f}")
