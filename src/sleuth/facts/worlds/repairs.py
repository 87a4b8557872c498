"""How suspects are taken back from outside: each function makes one change to a world.

A cause's `undo` names the one that takes it back.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from sleuth.facts.worlds.doors import LossCall, World

TINY = 1e-7
RAMP = 30  # steps of a warmup that is put in


def probabilities_as_logs(world: World) -> None:
    """A softmax before a loss that has its own is taken back by a logarithm: softmax(log p) = p."""

    def change(call: LossCall) -> None:
        if call.function == "cross_entropy":
            if _sums_to_one(call.input):
                world.hold()
                call.input = call.input.clamp_min(TINY).log()
        elif _within_unit(call.input):
            world.hold()
            call.input = call.input.clamp(TINY, 1 - TINY).logit()

    world.losses(change, "cross_entropy", "binary_cross_entropy_with_logits")


def logits_as_log_probabilities(world: World) -> None:
    """What a loss on (log-)probabilities is fed becomes some."""

    def change(call: LossCall) -> None:
        if call.function == "binary_cross_entropy":
            if not _within_unit(call.input):
                world.hold()
                call.input = call.input.sigmoid()
        elif call.input.dim() > 1 and not _logs_sum_to_one(call.input):
            world.hold()
            call.input = call.input.log_softmax(1 if call.function == "nll_loss" else -1)

    world.losses(change, "nll_loss", "kl_div", "binary_cross_entropy")


def last_axis_softmax(world: World) -> None:
    """Every softmax normalises over the last axis."""
    hold = world.holder()

    def around(original: Any) -> Any:
        def softmax(given: Tensor, dim: Any = None, *args: Any, **keywords: Any) -> Any:
            if isinstance(dim, int) and given.dim() > 1 and dim not in (-1, given.dim() - 1):
                hold()
                dim = -1
            return original(given, dim, *args, **keywords)

        return softmax

    for owner in (torch, functional, Tensor):
        for name in ("softmax", "log_softmax"):
            world.replace(owner, name, around)


def clear_after_step(world: World) -> None:
    """Gradients are cleared as soon as they were used."""

    def act(optimizer: torch.optim.Optimizer) -> None:
        for parameter in _held(optimizer):
            if parameter.grad is not None:
                world.hold()
                parameter.grad = None

    world.after_step(act)


def keep_until_step(world: World) -> None:
    """Gradients live from backward to step, whoever clears them between."""
    hold = world.holder()
    filled = {"by backward": False}

    def around_clear(original: Any) -> Any:
        def zero_grad(owner: Any, *args: Any, **keywords: Any) -> None:
            if filled["by backward"]:
                hold()
            else:
                original(owner, *args, **keywords)

        return zero_grad

    def note(loss: Tensor) -> Tensor:
        filled["by backward"] = True
        return loss

    def act(optimizer: torch.optim.Optimizer) -> None:
        filled["by backward"] = False
        for parameter in _held(optimizer):
            parameter.grad = None

    world.replace(torch.optim.Optimizer, "zero_grad", around_clear)
    world.replace(nn.Module, "zero_grad", around_clear)
    world.backward(note)
    world.after_step(act)


def step_after_backward(world: World) -> None:
    """Every optimizer takes its step when backward has filled the gradients, and clears them."""
    hold = world.holder()
    optimizers: list[torch.optim.Optimizer] = []

    def around_init(original: Any) -> Any:
        def init(optimizer: Any, *args: Any, **keywords: Any) -> None:
            original(optimizer, *args, **keywords)
            optimizers.append(optimizer)

        return init

    def around_backward(original: Any) -> Any:
        def backward(loss: Tensor, *args: Any, **keywords: Any) -> Any:
            result = original(loss, *args, **keywords)
            for optimizer in optimizers:
                hold()
                optimizer.step()
                optimizer.zero_grad()
            return result

        return backward

    world.replace(torch.optim.Optimizer, "__init__", around_init)
    world.replace(Tensor, "backward", around_backward)


def standardised_inputs(world: World) -> None:
    """Inputs get the mean and spread of the first batch taken out: per feature, for images per channel."""
    known: dict[tuple[int, ...], tuple[Tensor, Tensor]] = {}

    def change(given: Tensor) -> Tensor:
        if not given.is_floating_point() or given.dim() < 2 or len(given) < 2:
            return given
        key = tuple(given.shape[1:])
        if key not in known:
            over = [0] if given.dim() == 2 else [0, *range(2, given.dim())]
            flat = given.detach()
            known[key] = (flat.mean(over, keepdim=True), flat.std(over, keepdim=True).clamp_min(1e-6))
        world.hold()
        mean, std = known[key]
        return (given - mean) / std

    world.inputs(change)


def rate_held(world: World) -> None:
    """The rate stays what it was at the start, whatever a schedule says."""
    world.groups(lambda group: {"lr": group["initial_lr"]} if "initial_lr" in group else {})


def rate_ramped(world: World) -> None:
    """The rate grows to its value over the first steps."""

    def change(group: dict[str, Any]) -> dict[str, Any]:
        share = (world.control.steps + 1) / RAMP
        return {"lr": group["lr"] * share} if share < 1 else {}

    world.groups(change)


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


def every_parameter_held(world: World) -> None:
    """Parameters of the models in use that no optimizer holds are handed to the one that steps."""
    models: list[nn.Module] = []
    world.first_call(models.append)

    def act(optimizer: torch.optim.Optimizer) -> None:
        held = {id(parameter) for parameter in _held(optimizer)}
        missing = [
            parameter
            for model in models
            for parameter in model.parameters()
            if parameter.requires_grad and id(parameter) not in held and parameter.grad is not None
        ]
        if missing:
            world.hold()
            optimizer.add_param_group({"params": list({id(p): p for p in missing}.values())})

    world.before_step(act)


def thawed(world: World) -> None:
    """What is frozen learns."""

    def thaw(model: nn.Module) -> None:
        for parameter in model.parameters():
            if not parameter.requires_grad:
                world.hold()
                parameter.requires_grad_(True)

    world.first_call(thaw)
    every_parameter_held(world)


def gradients_on(world: World) -> None:
    """`no_grad` and `inference_mode` do nothing."""
    hold = world.holder()

    def around(_: Any) -> Any:
        def enter(__: Any) -> None:
            hold()

        return enter

    def leave(_: Any) -> Any:
        return lambda *_: None

    for context in (torch.no_grad, torch.inference_mode):
        world.replace(context, "__enter__", around)
        world.replace(context, "__exit__", leave)


def attached_in_models(world: World) -> None:
    """`detach()` inside a model's forward does nothing."""
    hold = world.holder()

    def around(original: Any) -> Any:
        def detach(given: Tensor) -> Any:
            if world._depth and given.requires_grad and torch.is_grad_enabled():
                hold()
                return given
            return original(given)

        return detach

    world.replace(Tensor, "detach", around)
    world.calls(lambda _, call: call())


def turned_sign(world: World) -> None:
    def change(loss: Tensor) -> Tensor:
        world.hold()
        return -loss

    world.backward(change)


def mean_instead_of_sum(world: World) -> None:
    def change(call: LossCall) -> None:
        if call.keywords.get("reduction") == "sum":
            world.hold()
            call.keywords["reduction"] = "mean"

    world.losses(change)


def divided_by_accumulation(world: World) -> None:
    """The loss is divided by the number of backward calls that the step before took."""
    count = {"now": 0, "before": 1}

    def change(loss: Tensor) -> Tensor:
        count["now"] += 1
        if count["before"] > 1:
            world.hold()
        return loss / count["before"]

    def act(_: Any) -> None:
        count["before"], count["now"] = max(1, count["now"]), 0

    world.backward(change)
    world.after_step(act)


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


def matching_shapes(world: World) -> None:
    """A target with as many values as the prediction takes its shape."""

    def change(call: LossCall) -> None:
        target = call.target
        if isinstance(target, Tensor) and target.shape != call.input.shape:
            if target.numel() == call.input.numel():
                world.hold()
                call.target = target.reshape(call.input.shape)

    world.losses(change, *"mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy kl_div".split())


def open_output(world: World) -> None:
    """The activation that is a model's last module passes everything through."""
    kinds = (nn.Sigmoid, nn.Tanh, nn.ReLU, nn.Softmax, nn.LeakyReLU, nn.Hardtanh, nn.ReLU6, nn.Softplus)

    def change(model: nn.Module) -> None:
        leaves = [module for module in model.modules() if not any(True for _ in module.children())]
        if leaves and isinstance(leaves[-1], kinds):
            world.hold()
            setattr(leaves[-1], "forward", lambda given: given)  # noqa: B010  # an instance's own, not its class's

    world.first_call(change)


def shuffled_loaders(world: World) -> None:
    def change(options: dict[str, Any]) -> None:
        if options.get("sampler") is None and options.get("batch_sampler") is None:
            if not options.get("shuffle") and hasattr(options.get("dataset"), "__getitem__"):
                world.hold()
                options["shuffle"] = True

    world.loaders(change)


def weighted_classes(world: World) -> None:
    """Cross-entropy weighs classes by how rare they were so far."""
    counts: dict[int, Tensor] = {}

    def change(call: LossCall) -> None:
        target = call.target
        if (
            call.keywords.get("weight") is not None
            or not isinstance(target, Tensor)
            or target.is_floating_point()
        ):
            return
        classes = call.input.shape[1] if call.input.dim() > 1 else 0
        if not classes:
            return
        seen = torch.bincount(target.flatten().clamp(0, classes - 1), minlength=classes).float()
        counts[classes] = counts.get(classes, torch.ones(classes)) + seen
        weight = counts[classes].sum() / (classes * counts[classes])
        world.hold()
        call.keywords["weight"] = weight.to(call.input)

    world.losses(change, "cross_entropy", "nll_loss")


def no_clipping(world: World) -> None:
    hold = world.holder()

    def around(_: Any) -> Any:
        def clip(parameters: Any, max_norm: float = 0.0, *args: Any, **keywords: Any) -> Tensor:
            hold()
            given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            norms = [p.grad.norm() for p in given if p.grad is not None]
            return torch.stack(norms).norm() if norms else torch.zeros(())

        return clip

    world.replace(nn.utils, "clip_grad_norm_", around)


def clipped_before_step(world: World, largest: float = 1.0) -> None:
    """Gradients are clipped where it counts: after backward, before the step."""

    def act(optimizer: torch.optim.Optimizer) -> None:
        parameters = [p for p in _held(optimizer) if p.grad is not None]
        if parameters and float(nn.utils.clip_grad_norm_(parameters, largest)) > largest:
            world.hold()

    world.before_step(act)


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


def away_from_poles(world: World) -> None:
    """Logarithm, square root and reciprocal never see what they cannot bear."""
    hold = world.holder()

    def kept_above(least: float) -> Callable[[Any], Any]:
        def around(original: Any) -> Any:
            def function(given: Any, *args: Any, **keywords: Any) -> Any:
                if isinstance(given, Tensor) and given.is_floating_point() and bool((given < least).any()):
                    hold()
                    given = given.clamp_min(least)
                return original(given, *args, **keywords)

            return function

        return around

    for owner in (torch, Tensor):
        world.replace(owner, "log", kept_above(TINY))
        world.replace(owner, "sqrt", kept_above(TINY**2))


def bounded_exponents(world: World) -> None:
    """`exp` never sees what overflows."""
    hold = world.holder()

    def around(original: Any) -> Any:
        def exp(given: Any, *args: Any, **keywords: Any) -> Any:
            if isinstance(given, Tensor) and bool((given > 60).any()):
                hold()
                given = given.clamp_max(60)
            return original(given, *args, **keywords)

        return exp

    for owner in (torch, Tensor):
        world.replace(owner, "exp", around)


def _held(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _in_mode(model: nn.Module, training: bool, call: Callable[[], Any]) -> Any:
    modes = [(module, module.training) for module in model.modules()]
    model.train(training)
    try:
        return call()
    finally:
        for module, mode in modes:
            module.training = mode


def _within_unit(values: Tensor) -> bool:
    return bool(((values >= 0) & (values <= 1)).all())


def _sums_to_one(values: Tensor) -> bool:
    if values.dim() < 2 or not _within_unit(values):
        return False
    total = values.detach().sum(1)
    return bool(torch.allclose(total, torch.ones_like(total), atol=1e-3))


def _logs_sum_to_one(values: Tensor) -> bool:
    total = values.detach().logsumexp(1)
    return bool(torch.allclose(total, torch.zeros_like(total), atol=1e-2))
