# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""Frozen, idle and unlucky weights; data with holes; agents."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, TensorDataset

from tests.probe.fresh.shared import Made, Resnet, adam, answer, sgd, table


@answer("frozen-params")
def head_frozen_with_the_body() -> Made:
    model = Resnet()
    model.requires_grad_(False)
    model.stem.requires_grad_(True)
    held = [p for p in model.parameters() if p.requires_grad]
    batch = (torch.randn(16, 3, 16, 16), torch.randint(10, (16,)))
    return {
        "model": model,
        "batch": batch,
        "loss_fn": nn.CrossEntropyLoss(),
        "optimizer": torch.optim.SGD(held, 0.01),
    }


@answer()
def lora_on_a_frozen_body() -> Made:
    class Lora(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.base = nn.Linear(10, 32).requires_grad_(False)
            self.down, self.up = nn.Linear(10, 2, bias=False), nn.Linear(2, 32, bias=False)
            self.out = nn.Linear(32, 4).requires_grad_(False)
            nn.init.zeros_(self.up.weight)

        def forward(self, x: Tensor) -> Tensor:
            return self.out(F.relu(self.base(x) + self.up(self.down(x))))

    model = Lora()
    held = [p for p in model.parameters() if p.requires_grad]
    return {"model": model, "batch": (table()[0], torch.randint(4, (64,))), "loss_fn": nn.CrossEntropyLoss(),
            "optimizer": torch.optim.AdamW(held)}  # fmt: skip


@answer("zero-init")
def hidden_layers_of_ones() -> Made:
    model = nn.Sequential(
        nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0)
    )
    for module in model:
        if isinstance(module, nn.Linear):
            nn.init.constant_(module.weight, 0.05)
    return {"model": model, "batch": table(), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}


@answer("dead-relu")
def bias_far_below_zero() -> Made:
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
    nn.init.constant_(model[0].bias, -20.0)
    return {"model": model, "batch": (table()[0], torch.randint(4, (64,))), "loss_fn": nn.CrossEntropyLoss(),
            "optimizer": adam(model)}  # fmt: skip


@answer("norm-batch-of-one")
def batchnorm_on_single_images() -> Made:
    model = Resnet()
    batch = (torch.randn(1, 3, 16, 16), torch.randint(10, (1,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": sgd(model)}


@answer("logits-into-prob-loss")
def logits_into_nll() -> Made:
    model = Resnet()
    batch = (torch.randn(16, 3, 16, 16), torch.randint(10, (16,)))
    return {"model": model, "batch": batch, "loss_fn": nn.NLLLoss(), "optimizer": sgd(model)}


@answer("split-overlap")
def oversampled_before_the_split() -> Made:
    x, y = table(300)
    y = (y > 0).long()
    x, y = x.repeat(2, 1), y.repeat(2)
    order = torch.randperm(600)
    train, val = order[:450], order[450:]
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
    loaders = [DataLoader(TensorDataset(x[part], y[part]), batch_size=50) for part in (train, val)]
    return {"model": model, "loader": loaders[0], "val_loader": loaders[1], "loss_fn": nn.CrossEntropyLoss(),
            "batch": next(iter(loaders[0])), "optimizer": adam(model)}  # fmt: skip


@answer("unused-parameters")
def skip_forgotten_in_forward() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.middle, self.two = nn.Linear(10, 32), nn.Linear(32, 32), nn.Linear(32, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.two(F.relu(self.one(x)))

    model = Net()
    return {"model": model, "batch": (table()[0], torch.randint(4, (64,))), "loss_fn": nn.CrossEntropyLoss(),
            "optimizer": adam(model)}  # fmt: skip


@answer("nonfinite-input")
def hole_in_a_time_series() -> Made:
    model = nn.Sequential(nn.Conv1d(2, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 28, 1), nn.Flatten(0))
    x = torch.randn(16, 2, 30)
    x[5, 1, 7] = float("nan")
    return {"model": model, "batch": (x, torch.randn(16)), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}


@answer("unstable-exp")
def partition_function_by_hand() -> Made:
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5))

    def loss(score: Tensor, target: Tensor) -> Tensor:
        return (score.exp().sum(1).log() - score.gather(1, target[:, None]).squeeze(1)).mean()

    return {"model": model, "batch": (table()[0], torch.randint(5, (64,))), "loss_fn": loss,
            "optimizer": adam(model)}  # fmt: skip


@answer()
def actor_critic() -> Made:
    class Agent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
            self.policy, self.value = nn.Linear(32, 2), nn.Linear(32, 1)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            h = self.body(x)
            return self.policy(h), self.value(h).squeeze(1)

    def step(model: nn.Module, batch: Any) -> Tensor:
        logits, value = model(batch["obs"])
        chosen = torch.distributions.Categorical(logits=logits)
        advantage = (batch["ret"] - value).detach()
        gain = (chosen.log_prob(batch["act"]) * advantage).mean()
        return -gain + 0.5 * F.mse_loss(value, batch["ret"]) - 0.01 * chosen.entropy().mean()

    model = Agent()
    batch = {"obs": torch.randn(64, 4), "act": torch.randint(2, (64,)), "ret": torch.randn(64)}
    return {"model": model, "batch": batch, "step": step, "optimizer": adam(model)}


@answer()
def q_learning_with_target_network() -> Made:
    class Twin(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.online = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
            self.target = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
            self.target.load_state_dict(self.online.state_dict())

    def step(model: Any, batch: Any) -> Tensor:
        obs, act, reward, after = batch
        with torch.no_grad():
            wanted = reward + 0.99 * model.target(after).max(1).values
        return F.smooth_l1_loss(model.online(obs).gather(1, act[:, None]).squeeze(1), wanted)

    model = Twin()
    batch = (torch.randn(32, 4), torch.randint(2, (32,)), torch.randn(32), torch.randn(32, 4))
    return {
        "model": model,
        "batch": batch,
        "step": step,
        "optimizer": torch.optim.Adam(model.online.parameters()),
    }


@answer("missing-detach")
def q_learning_through_the_target() -> Made:
    model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))

    def step(model: nn.Module, batch: Any) -> Tensor:
        obs, act, reward, after = batch
        wanted = reward + 0.99 * model(after).max(1).values
        return F.smooth_l1_loss(model(obs).gather(1, act[:, None]).squeeze(1), wanted)

    batch = (torch.randn(32, 4), torch.randint(2, (32,)), torch.randn(32), torch.randn(32, 4))
    return {"model": model, "batch": batch, "step": step, "optimizer": adam(model)}
