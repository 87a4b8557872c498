# Bundle-adjustment flavoured toy: recover camera poses (axis-angle + translation) and focal length from
# noisy 2-D observations of known landmarks. Robust loss, some mismatched correspondences.
import math
import torch

torch.set_default_dtype(torch.float64)
gen = torch.Generator().manual_seed(64)
CAMS, PTS, SIGMA, OUTLIER = 6, 80, 0.8, 0.08


def hat(w):
    z = torch.zeros_like(w[..., 0])
    return torch.stack([torch.stack([z, -w[..., 2], w[..., 1]], -1),
                        torch.stack([w[..., 2], z, -w[..., 0]], -1),
                        torch.stack([-w[..., 1], w[..., 0], z], -1)], -2)


def rodrigues(w):
    return torch.linalg.matrix_exp(hat(w))


def project(w, t, f, P):
    cam = torch.einsum("cij,pj->cpi", rodrigues(w), P) + t[:, None]
    return f * cam[..., :2] / cam[..., 2:].clamp_min(0.1)


# ----- scene
landmarks = torch.rand(PTS, 3, generator=gen) * 4 - 2
w_true = 0.5 * torch.randn(CAMS, 3, generator=gen)
t_true = torch.cat([0.6 * torch.randn(CAMS, 2, generator=gen), 7 + torch.rand(CAMS, 1, generator=gen)], 1)
f_true = 520.0
pix = project(w_true, t_true, f_true, landmarks)
pix = pix + SIGMA * torch.randn(pix.shape, generator=gen)
wrong = torch.rand(CAMS, PTS, generator=gen) < OUTLIER
pix[wrong] += 90 * torch.randn(int(wrong.sum()), 2, generator=gen)

fit_pts, check_pts = torch.arange(0, 60), torch.arange(60, PTS)


def huber(r, d=3.0):
    n = r.norm(dim=-1)
    return torch.where(n < d, 0.5 * n**2, d * (n - 0.5 * d))


w = torch.zeros(CAMS, 3, requires_grad=True)
t = torch.tensor([[0.0, 0.0, 6.0]]).repeat(CAMS, 1).requires_grad_(True)
log_f = torch.tensor(math.log(400.0), requires_grad=True)
opt = torch.optim.Adam([{"params": [w], "lr": 0.02}, {"params": [t], "lr": 0.04}, {"params": [log_f], "lr": 0.008}])
ITERS = 900
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.02 ** (1 / ITERS))


def pose_error():
    with torch.no_grad():
        R = rodrigues(w).transpose(1, 2) @ rodrigues(w_true)
        tr = R.diagonal(dim1=1, dim2=2).sum(-1)
        ang = torch.arccos(((tr - 1) / 2).clamp(-1, 1)) * 180 / math.pi
        return ang.mean().item(), (t - t_true).norm(dim=1).mean().item()


print("iter      cost   rot err(deg)  trans err   focal")
for it in range(ITERS + 1):
    r = project(w, t, log_f.exp(), landmarks[fit_pts]) - pix[:, fit_pts]
    cost = huber(r).mean()
    if it % 75 == 0:
        a, b = pose_error()
        print(f"{it:4d}  {cost.item():9.3f}  {a:11.3f}  {b:10.4f}  {log_f.exp().item():7.1f}")
    opt.zero_grad()
    cost.backward()
    opt.step()
    sched.step()

with torch.no_grad():
    res = (project(w, t, log_f.exp(), landmarks[check_pts]) - pix[:, check_pts]).norm(dim=-1)
a, b = pose_error()
print(f"withheld landmarks: median reprojection {res.median():.2f} px "
      f"(noise alone gives {SIGMA * math.sqrt(2 * math.log(2)):.2f}), {(res > 10).double().mean():.1%} flagged as mismatches")
print(f"rotation {a:.3f} deg, translation {b:.4f}, focal {log_f.exp().item():.2f} (true {f_true})")
