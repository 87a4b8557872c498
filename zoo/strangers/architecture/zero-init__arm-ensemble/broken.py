"""Inverse kinematics of a two-link arm: an ensemble of small nets trained in one go with torch.func."""
import torch
from torch.func import grad_and_value, vmap

MEMBERS, STEPS, BATCH = 4, 1500, 64
L1, L2 = 1.0, 0.7


def forward_kinematics(q):
    x = L1 * torch.cos(q[..., 0]) + L2 * torch.cos(q[..., 0] + q[..., 1])
    y = L1 * torch.sin(q[..., 0]) + L2 * torch.sin(q[..., 0] + q[..., 1])
    return torch.stack([x, y], -1)


def sample_poses(n, gen):
    low, high = torch.tensor([-1.2, 0.3]), torch.tensor([1.2, 2.4])
    q = low + (high - low) * torch.rand(n, 2, generator=gen)
    return forward_kinematics(q), q


def init_layer(n_in, n_out, gen):
    std = 1 // n_in ** 0.5
    return {"w": std * torch.randn(MEMBERS, n_in, n_out, generator=gen), "b": torch.zeros(MEMBERS, n_out)}


def init_net(sizes, gen):
    return [init_layer(a, b, gen) for a, b in zip(sizes[:-1], sizes[1:])]


def apply(params, x):
    for layer in params[:-1]:
        x = torch.tanh(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss_fn(params, x, y):
    return (apply(params, x) - y).square().mean()


def tree_map(f, *trees):
    return [{k: f(*(t[i][k] for t in trees)) for k in layer} for i, layer in enumerate(trees[0])]


def adam_update(params, grads, state, lr, b1=0.9, b2=0.999, eps=1e-8):
    state["t"] += 1
    state["m"] = tree_map(lambda m, g: b1 * m + (1 - b1) * g, state["m"], grads)
    state["v"] = tree_map(lambda v, g: b2 * v + (1 - b2) * g * g, state["v"], grads)
    c1, c2 = 1 - b1 ** state["t"], 1 - b2 ** state["t"]
    return tree_map(lambda p, m, v: p - lr * (m / c1) / ((v / c2).sqrt() + eps), params, state["m"], state["v"])


def main():
    gen = torch.Generator().manual_seed(14)
    xy, q = sample_poses(3000, gen)
    xy_val, q_val = sample_poses(500, gen)
    mean_x, std_x, mean_q, std_q = xy.mean(0), xy.std(0), q.mean(0), q.std(0)
    x, y = (xy - mean_x) / std_x, (q - mean_q) / std_q
    x_val, y_val = (xy_val - mean_x) / std_x, (q_val - mean_q) / std_q

    params = init_net([2, 64, 64, 2], gen)
    state = {"t": 0, "m": tree_map(torch.zeros_like, params), "v": tree_map(torch.zeros_like, params)}
    member_grads = vmap(grad_and_value(loss_fn), in_dims=(0, 0, 0))

    for step in range(1, STEPS + 1):
        idx = torch.randint(0, len(x), (MEMBERS, BATCH), generator=gen)
        grads, losses = member_grads(params, x[idx], y[idx])
        lr = 3e-3 if step < 0.7 * STEPS else 5e-4
        params = adam_update(params, grads, state, lr)
        if step % 250 == 0:
            val = vmap(loss_fn, in_dims=(0, None, None))(params, x_val, y_val)
            print(f"step {step:4d}  train mse {losses.mean():.5f}  val mse {val.mean():.5f}")

    joint = vmap(apply, in_dims=(0, None))(params, x_val).mean(0) * std_q + mean_q
    miss = (forward_kinematics(joint) - xy_val).norm(dim=-1).mean()
    print(f"ensemble val mse {(((joint - q_val) / std_q) ** 2).mean():.5f}   mean fingertip error {miss:.4f}")


if __name__ == "__main__":
    main()
