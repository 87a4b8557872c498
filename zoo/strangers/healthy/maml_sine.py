"""Second-order MAML on sinusoid regression with torch.func."""
import math
import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(1234)

N_SHOT, N_QUERY, META_BATCH = 10, 10, 25
INNER_LR, INNER_STEPS, META_ITERS = 0.02, 3, 800


def tasks(n, gen=None):
    amp = torch.rand(n, 1, 1, generator=gen) * 4.9 + 0.1
    phase = torch.rand(n, 1, 1, generator=gen) * math.pi
    x = torch.rand(n, N_SHOT + N_QUERY, 1, generator=gen) * 10 - 5
    y = amp * torch.sin(x + phase)
    return x[:, :N_SHOT], y[:, :N_SHOT], x[:, N_SHOT:], y[:, N_SHOT:]


net = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
theta = {k: v.detach().clone().requires_grad_() for k, v in net.named_parameters()}
log_alpha = {k: torch.full_like(v, math.log(INNER_LR)).requires_grad_() for k, v in theta.items()}


def mse(params, x, y):
    return (functional_call(net, params, (x,)) - y).pow(2).mean()


def adapt(params, alphas, xs, ys, steps=INNER_STEPS):
    for _ in range(steps):
        g = grad(mse)(params, xs, ys)
        params = {k: params[k] - alphas[k].exp() * g[k] for k in params}
    return params


def query_loss(params, alphas, xs, ys, xq, yq):
    return mse(adapt(params, alphas, xs, ys), xq, yq)


per_task = vmap(query_loss, in_dims=(None, None, 0, 0, 0, 0))

test_gen = torch.Generator().manual_seed(99)
TEST = tasks(400, test_gen)


def meta_test():
    frozen = {k: v.detach() for k, v in theta.items()}
    a = {k: v.detach() for k, v in log_alpha.items()}
    xs, ys, xq, yq = TEST
    before = vmap(mse, in_dims=(None, 0, 0))(frozen, xq, yq).mean()
    after = per_task(frozen, a, xs, ys, xq, yq)
    return before.item(), after.mean().item(), (1.96 * after.std() / math.sqrt(len(after))).item()


opt = torch.optim.Adam([{"params": list(theta.values()), "lr": 2e-3}, {"params": list(log_alpha.values()), "lr": 3e-3}])
lr_sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, META_ITERS, eta_min=1e-5)

avg = 0.0
for it in range(1, META_ITERS + 1):
    outer = per_task(theta, log_alpha, *tasks(META_BATCH)).mean()
    opt.zero_grad()
    outer.backward()
    torch.nn.utils.clip_grad_norm_(list(theta.values()), 10.0)
    opt.step()
    lr_sched.step()
    avg += outer.item()
    if it % 200 == 0:
        b, a, ci = meta_test()
        print(f"iter {it}: outer {avg / 200:.3f} | new tasks: before {b:.3f} after {INNER_STEPS} steps {a:.3f} +/- {ci:.3f}")
        avg = 0.0

lrs = [v.exp().mean().item() for v in log_alpha.values()]
print("learned inner rates:", " ".join(f"{r:.4f}" for r in lrs))
print("final query MSE on unseen tasks: %.3f" % meta_test()[1])
