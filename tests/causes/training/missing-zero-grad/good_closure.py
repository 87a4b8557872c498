import torch

params = [torch.zeros(3, requires_grad=True)]
solver = torch.optim.LBFGS(params, lr=0.5)


def closure():
    solver.zero_grad()
    value = objective(params[0])
    value.backward()
    return value


for _ in range(20):
    solver.step(closure)
