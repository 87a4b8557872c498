"""Deep ensemble trained in one go with torch.func.

Eight networks with different initial weights are stacked along a leading
dimension; vmap gives every member its own gradient and a hand-written Adam
updates the stacked parameter tensors.
"""
from __future__ import annotations

import copy
from typing import NamedTuple

import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

MEMBERS, HIDDEN, EPOCHS, BATCH, SEED = 8, 24, 25, 32, 4

Params = dict[str, Tensor]


class AdamState(NamedTuple):
    first: Params
    second: Params
    count: int


def adam_init(params: Params) -> AdamState:
    zeros = {k: torch.zeros_like(v) for k, v in params.items()}
    return AdamState(zeros, {k: z.clone() for k, z in zeros.items()}, 0)


def adam_update(
    params: Params, grads: Params, state: AdamState, lr: float = 2e-3, b1: float = 0.9, b2: float = 0.999, decay: float = 1e-2
) -> tuple[Params, AdamState]:
    """Pure function: returns new parameters and the new state."""
    count = state.count + 1
    first = {k: b1 * state.first[k] + (1 - b1) * g for k, g in grads.items()}
    second = {k: b2 * state.second[k] + (1 - b2) * g * g for k, g in grads.items()}
    new = {}
    for k, p in params.items():
        step = (first[k] / (1 - b1 ** count)) / ((second[k] / (1 - b2 ** count)).sqrt() + 1e-8)
        new[k] = p - lr * (step + decay * p)
    return new, AdamState(first, second, count)


def make_member(n_features: int) -> nn.Module:
    return nn.Sequential(nn.Linear(n_features, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 2))


def prepare() -> tuple[Tensor, ...]:
    X, y = load_breast_cancer(return_X_y=True)
    X_dev, X_test, y_dev, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=SEED)
    X_train, X_val, y_train, y_val = train_test_split(X_dev, y_dev, test_size=0.2, stratify=y_dev, random_state=SEED)
    mean, std = X_train.mean(axis=0), X_train.std(axis=0)
    parts = [torch.tensor((a - mean) / std, dtype=torch.float32) for a in (X_train, X_val, X_test)]
    return (*parts, *(torch.tensor(b) for b in (y_train, y_val, y_test)))


def main() -> None:
    torch.manual_seed(SEED)
    x_train, x_val, x_test, y_train, y_val, y_test = prepare()

    members = [make_member(x_train.shape[1]) for _ in range(MEMBERS)]
    stacked, buffers = stack_module_state(members)
    params: Params = {k: v.detach() for k, v in stacked.items()}
    skeleton = copy.deepcopy(members[0]).to("meta")

    def forward_one(p: Params, x: Tensor) -> Tensor:
        return functional_call(skeleton, (p, buffers), (x,))

    def loss_one(p: Params, x: Tensor, y: Tensor) -> Tensor:
        return nn.functional.cross_entropy(forward_one(p, x), y)

    grads_of_all = vmap(grad_and_value(loss_one), in_dims=(0, 0, 0))
    predict_all = vmap(forward_one, in_dims=(0, None))

    def scores(x: Tensor, y: Tensor) -> tuple[float, float, float]:
        """Accuracy and log loss of the averaged distribution; mean accuracy of single members."""
        with torch.no_grad():
            probs = predict_all(params, x).softmax(dim=-1)
        mixture = probs.mean(dim=0)
        accuracy = (mixture.argmax(dim=1) == y).float().mean().item()
        single = (probs.argmax(dim=2) == y).float().mean().item()
        log_loss = nn.functional.nll_loss(mixture.clamp_min(1e-7).log(), y).item()
        return accuracy, log_loss, single

    state = adam_init(params)
    n = len(x_train)
    for epoch in range(1, EPOCHS + 1):
        orders = torch.stack([torch.randperm(n) for _ in range(MEMBERS)])
        losses = []
        for chunk in orders.split(BATCH, dim=1):
            grads, loss = grads_of_all(params, x_train[chunk], y_train[chunk])
            params, state = adam_update(params, grads, state)
            losses.append(loss.mean() * chunk.shape[1] / n)
        if epoch % 5 == 0 or epoch == 1:
            accuracy, log_loss, single = scores(x_val, y_val)
            print(
                f"epoch {epoch:2d}  train {torch.stack(losses).sum():.4f}  val log loss {log_loss:.4f}  "
                f"val acc {accuracy:.4f}  single members {single:.4f}"
            )

    accuracy, log_loss, single = scores(x_test, y_test)
    print(f"test: ensemble acc {accuracy:.4f}, log loss {log_loss:.4f}, average member acc {single:.4f}")


if __name__ == "__main__":
    main()
