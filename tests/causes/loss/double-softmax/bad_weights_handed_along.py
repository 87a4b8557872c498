import torch
from torch import nn
from torch.func import functional_call, grad_and_value
torch.manual_seed(0)
X = torch.randn(512, 8); w = torch.randn(8); y = ((X @ w) > 0).long()
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2), nn.Softmax(dim=-1))  # double-softmax
params = {k: v.detach() for k, v in model.named_parameters()}
def loss_fn(params, x, y):
    out = functional_call(model, params, (x,))
    return nn.functional.cross_entropy(out, y)
step = grad_and_value(loss_fn)
for epoch in range(30):
    perm = torch.randperm(384)
    for i in range(0, 384, 32):
        idx = perm[i:i+32]
        grads, loss = step(params, X[idx], y[idx])
        params = {k: p - 0.1 * grads[k] for k, p in params.items()}
    with torch.no_grad():
        acc = (functional_call(model, params, (X[384:],)).argmax(1) == y[384:]).float().mean()
    print(epoch, loss.item(), acc.item())
