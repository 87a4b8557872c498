"""Modes, activations, starting values and memory of a model, put right."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from sleuth.lab.worlds.doors import World


def trained_in_train_mode(world: World) -> None:
    def around(model: nn.Module, call: Callable[[], Any]) -> Any:
        if torch.is_grad_enabled() and not model.training:
            world.hold()
            return _in_mode(model, True, call)
        return call()

    world.calls(around)


def evaluated_in_eval_mode(world: World) -> None:
    def around(model: nn.Module, call: Callable[[], Any]) -> Any:
        if not torch.is_grad_enabled() and model.training:
            world.hold()
            return _in_mode(model, False, call)
        return call()

    world.calls(around)


def attached_in_models(world: World) -> None:
    """`detach()` inside a model's forward does nothing."""
    hold = world.holder()

    def around(original: Any) -> Any:
        def detach(given: Tensor) -> Any:
            if world.inside and given.requires_grad and torch.is_grad_enabled():
                hold()
                return given
            return original(given)

        return detach

    world.replace(Tensor, "detach", around)
    world.calls(lambda _, call: call())


def initialised_anew(world: World, only_equal: bool = False) -> None:
    """Layers get weights that keep a signal's size (`only_equal`: those with all weights the same)."""

    def change(model: nn.Module) -> None:
        with torch.random.fork_rng():
            torch.manual_seed(0)
            for module in model.modules():
                weight = getattr(module, "weight", None)
                if not isinstance(weight, Tensor) or weight.dim() < 2 or not weight.is_floating_point():
                    continue
                if not only_equal or float(weight.detach().float().std()) == 0.0:
                    world.hold()
                    nn.init.kaiming_normal_(weight, nonlinearity="relu")
                    if isinstance(bias := getattr(module, "bias", None), Tensor):
                        nn.init.zeros_(bias)

    world.first_call(change)


def leaky_relus(world: World) -> None:
    hold = world.holder()

    def around(_: Any) -> Any:
        def relu(given: Tensor, inplace: bool = False) -> Tensor:
            hold()
            return functional.leaky_relu(given, 0.01)

        return relu

    for owner in (functional, torch, Tensor):
        world.replace(owner, "relu", around)


def open_output(world: World) -> None:
    """The activation that is a model's last module passes everything through."""
    kinds = (nn.Sigmoid, nn.Tanh, nn.ReLU, nn.Softmax, nn.LeakyReLU, nn.Hardtanh, nn.ReLU6, nn.Softplus)

    def change(model: nn.Module) -> None:
        leaves = [module for module in model.modules() if not any(True for _ in module.children())]
        if leaves and isinstance(leaves[-1], kinds):
            world.hold()
            setattr(leaves[-1], "forward", lambda given: given)  # noqa: B010  # an instance's own, not its class's

    world.first_call(change)


def dropout_follows_mode(world: World) -> None:
    """Functional dropout is off where gradients are off."""
    hold = world.holder()

    def around(original: Any) -> Any:
        def dropout(given: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
            if training and not torch.is_grad_enabled():
                hold()
                training = False
            return original(given, p, training, inplace)

        return dropout

    world.replace(functional, "dropout", around)


def _in_mode(model: nn.Module, training: bool, call: Callable[[], Any]) -> Any:
    modes = [(module, module.training) for module in model.modules()]
    model.train(training)
    try:
        return call()
    finally:
        for module, mode in modes:
            module.training = mode


def state_carried(world: World) -> None:
    """A recurrent layer that is given no state goes on from the one it ended with, cut off from its past."""
    hold = world.holder()
    ended: dict[tuple[int, int], Any] = {}

    def around(original: Any) -> Any:
        def forward(layer: nn.RNNBase, given: Any, state: Any = None) -> Any:
            if not isinstance(given, Tensor) or given.dim() != 3 or state is not None:
                return original(layer, given, state)
            key = (id(layer), given.shape[0 if layer.batch_first else 1])
            if key in ended:
                hold()
            out, last = original(layer, given, ended.get(key))
            ended[key] = tuple(part.detach() for part in last) if isinstance(last, tuple) else last.detach()
            return out, last

        return forward

    for kind in (nn.RNN, nn.LSTM, nn.GRU):
        world.replace(kind, "forward", around)
