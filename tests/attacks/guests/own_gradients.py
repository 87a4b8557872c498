"""Functions with a backward of their own, hooks, second derivatives, and gradients for each example."""

import torch
from digest import net_and_optimizer, seed, told
from torch.func import functional_call, grad, vmap


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, slope):
        (x,) = ctx.saved_tensors
        return slope * 3 * x**2


seed()
net, optimizer = net_and_optimizer()
net.eval()
seen = []
net[0].register_forward_hook(lambda module, inputs, output: seen.append(len(inputs)))
handle = net[0].register_full_backward_hook(lambda module, into, out: seen.append(-len(out)))
net[3].weight.register_hook(lambda slope: slope * 0.5)
for _ in range(12):
    x = torch.randn(8, 6, requires_grad=True)
    out = Cube.apply(net(x)).sum()
    (slope,) = torch.autograd.grad(out, x, create_graph=True)
    optimizer.zero_grad()
    (slope.square().mean() + 0.01 * out).backward()
    optimizer.step()
handle.remove()
weights = dict(net.named_parameters())


def loss_of(parts, row):
    return functional_call(net, parts, (row[None],)).square().sum()


each = vmap(grad(loss_of), in_dims=(None, 0))({k: v.detach() for k, v in weights.items()}, torch.randn(4, 6))
print(seen[:6], len(seen), {name: round(part.norm().item(), 6) for name, part in each.items()})
told(*net.parameters())
