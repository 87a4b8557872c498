import torch
from torch.func import functional_call, grad_and_value


def sgd(params, grads, lr):
    return {k: p - lr * grads[k] for k, p in params.items()}


def train(model, batches, lr=0.1):
    params = {k: v.detach().clone() for k, v in model.named_parameters()}

    def loss(params, x, y):
        out = functional_call(model, params, (x,))
        return torch.nn.functional.cross_entropy(out, y)

    step = grad_and_value(loss)
    for x, y in batches:
        grads, value = step(params, x, y)
        params = sgd(params, grads, lr)
        print(value.item())
    model.load_state_dict(params)
    return model
