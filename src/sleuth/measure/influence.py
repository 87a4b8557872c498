"""What an output depends on: other examples, its own future, each input feature, the parameters at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from sleuth.measure import batches
from sleuth.measure.forward import outputs_of, trace
from sleuth.measure.not_examined import NotApplicable
from sleuth.measure.own_batch_norm import Held, by_hand
from sleuth.measure.subject import Subject, shake
from sleuth.measure.tensor_paths import LAYOUT_OPS, reached_from

SHIFTED = 0.9  # of the targets are the inputs, one place on
SAME = 1e-4  # relative change below which two passes agree; batched kernels differ by about 1e-6


@dataclass(frozen=True, slots=True)
class Mixing:
    """Influence of the other examples on one example's output, as a share of all influence on it."""

    share: float
    from_later: bool
    from_earlier: bool
    method: str
    keeps_axes: bool


@dataclass(frozen=True, slots=True)
class Causality:
    """Change of outputs up to a position when everything after it is replaced."""

    change: float
    shifted: float
    equal: float
    length: int
    past: float = 0.0  # and of those after it, when everything before it is


@dataclass(frozen=True, slots=True)
class Reach:
    """Input features on which no output depends, and whether the parameters move the output at all."""

    features: int
    ignored: int
    first_ignored: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Relative change of output and loss when every parameter is drawn anew."""

    output_change: float
    loss_change: float
    parameters: int


def mixing(subject: Subject, inputs: tuple[str, ...]) -> Mixing:
    length = subject.examples
    if length < 2:
        raise NotApplicable("the batch holds one example")
    if _time_first(subject, inputs):
        raise NotApplicable("the examples are on the second axis, behind time")
    if _one_graph(subject, length):
        raise NotApplicable("the rows are nodes of one graph, which should influence each other")
    subject.model.eval()
    subject.wake_zeros()
    subject = subject.smaller()
    length = subject.examples
    chosen = [
        (name, t)
        for name, t in batches.leaves(subject.batch)
        if name in inputs and t.dim() and len(t) == length
    ]
    if not chosen:
        raise NotApplicable("no input has the examples on its first axis")
    if all(tensor.is_floating_point() for _, tensor in chosen):
        found = _by_gradient(subject, chosen, length)
    else:
        found = _by_replacement(subject, chosen[0][1], length)
    if found.share > SAME and _compares_all(subject, length):
        raise NotApplicable(
            "the model outputs a table of examples by examples, as contrastive losses need it"
        )
    if found.share > SAME and _passes_messages(subject, length):
        raise NotApplicable("the model gathers rows at the places an index names, as messages in a graph")
    if found.share > SAME and _blended(subject):
        raise NotApplicable("the step blends examples before the model sees them, as augmentation does")
    if found.share > SAME and (own := by_hand(subject, length)):
        with Held(own):
            apart = _by_gradient(subject, chosen, length) if found.method == "gradient" else found
        if apart.share <= SAME:
            raise NotApplicable("the model standardises over the batch by its own code")
    return found


def _time_first(subject: Subject, inputs: tuple[str, ...]) -> bool:
    """Sequences as recurrent layers take them by default, and no other tensor as long as they are: targets
    are counted in examples."""
    if not any(getattr(module, "batch_first", None) is False for module in subject.model.modules()):
        return False
    leaves = [(name, tensor) for name, tensor in batches.leaves(subject.batch) if tensor.dim()]
    sequences = [tensor for name, tensor in leaves if name in inputs and tensor.dim() >= 2]
    others = [tensor for name, tensor in leaves if name not in inputs]
    return bool(sequences) and all(
        len(other) == given.shape[1] != len(given) for given in sequences for other in others
    )


def _blended(subject: Subject) -> bool:
    """Whether tensors of the batch are computed with each other before they enter a module."""
    with torch.no_grad():
        run = trace(subject, train=None)
    fresh = reached_from(run, [tensor for _, tensor in batches.leaves(subject.batch)])
    entered = min((call.number for call in run.calls if call.outermost), default=0)
    early = [op for op in run.ops[:entered] if op.outside and op.name not in LAYOUT_OPS]
    return any(sum(id(t) in fresh for t in op.inputs) > 1 for op in early)


def _compares_all(subject: Subject, length: int) -> bool:
    """The number of examples is a prime by now: no other axis has it by chance."""
    with torch.no_grad():
        return any(o.dim() == 2 and tuple(o.shape) == (length, length) for o in outputs_of(subject))


_GATHERS = frozenset("index_add scatter_add scatter_reduce index_reduce segment_reduce spmm".split())


def _passes_messages(subject: Subject, length: int) -> bool:
    return any(
        op.name in _GATHERS and made.dim() > 0 and len(made) == length
        for op in trace(subject, train=None).ops
        for made in op.outputs
    )


def _one_graph(subject: Subject, length: int) -> bool:
    """A given table of examples by examples, or a list of pairs of them: an adjacency."""
    given = [tensor for _, tensor in batches.leaves(subject.batch)]
    kept = [
        t for module in subject.model.modules() for t in (*module._buffers.values(), *vars(module).values())
    ]
    held = [t for t in (*given, *kept) if isinstance(t, Tensor)]
    return length > 2 and any(_adjacency(tensor, length) for tensor in held)


def _adjacency(tensor: Tensor, length: int) -> bool:
    if tensor.dim() != 2:
        return False
    if tuple(tensor.shape) == (length, length) and not isinstance(tensor, Parameter):
        return True
    pairs = tensor.shape[0] == 2 and tensor.shape[1] > 2 and tensor.dtype in (torch.int64, torch.int32)
    return pairs and bool((tensor >= 0).all()) and int(tensor.max()) < length


def _by_gradient(subject: Subject, chosen: list[tuple[str, Tensor]], length: int) -> Mixing:
    """The middle example asks both ways: does it notice those before it, and those after?"""
    names = [name for name, _ in chosen]
    given: dict[str, Tensor] = {}

    def track(name: str, tensor: Tensor) -> Tensor:
        if name in names:
            given[name] = tensor.detach().clone().requires_grad_()
        return given.get(name, tensor)

    outputs = _per_example(outputs_of(subject, batches.mapped(subject.batch, track)), length)
    keeps = _keeps_axes(outputs, chosen[0][1])
    own, later, earlier = 0.0, 0.0, 0.0
    example = length // 2
    total = torch.stack([(row := o[example]).mul(_signs(row)).sum() for o in outputs]).sum()
    slopes = torch.autograd.grad(total, list(given.values()), allow_unused=True, retain_graph=True)
    for slope in slopes:
        if slope is None:
            continue
        mass = slope.detach().reshape(length, -1).abs().sum(1)
        own += float(mass[example])
        later += float(mass[example + 1 :].sum())
        earlier += float(mass[:example].sum())
    other = later + earlier
    share = other / (own + other) if own + other > 0 else 0.0
    return Mixing(share, later > 1e-6 * (own + other), earlier > 1e-6 * (own + other), "gradient", keeps)


def _signs(row: Tensor) -> Tensor:
    """Fixed weights without a pattern, so that contributions do not cancel as they do in a softmax."""
    generator = torch.Generator().manual_seed(1)
    return torch.randn(row.shape, generator=generator).to(row)


def _by_replacement(subject: Subject, given: Tensor, length: int) -> Mixing:
    """Integers have no gradient: replace the others instead and look whether this one notices."""
    with torch.no_grad():
        before = _seeded(subject, subject.batch, length)
        keeps = _keeps_axes(before, given)
        later, earlier, scale = 0.0, 0.0, 0.0
        for example in sorted({0, length // 2, length - 1}):
            rows = torch.arange(length).roll(1)
            for side in ("later", "earlier"):
                kept = torch.arange(length)
                spot = slice(example + 1, None) if side == "later" else slice(0, example)
                kept[spot] = rows[spot]
                if side == "earlier" and example > 0:
                    kept[0] = min(example + 1, length - 1)
                after = _seeded(subject, batches.take(subject.batch, kept), length)
                change = max(
                    float((a[example] - b[example]).abs().max()) for a, b in zip(before, after, strict=True)
                )
                later, earlier = (
                    (max(later, change), earlier) if side == "later" else (later, max(earlier, change))
                )
            scale = max(scale, *(float(a[example].abs().max()) for a in before))
    share = max(later, earlier) / scale if scale > 0 else 0.0
    return Mixing(share, later > SAME * scale, earlier > SAME * scale, "replacement", keeps)


def _seeded(subject: Subject, batch: Any, length: int) -> list[Tensor]:
    """The same random numbers each time: what a model draws in eval mode is no influence."""
    torch.manual_seed(subject.seed)
    return _per_example(outputs_of(subject, batch), length)


def _per_example(outputs: list[Tensor], length: int) -> list[Tensor]:
    fitting = [o for o in outputs if o.dim() > 0 and len(o) == length]
    if not fitting:
        raise NotApplicable("no output has the examples on its first axis")
    return fitting


def _keeps_axes(outputs: list[Tensor], given: Tensor) -> bool:
    """Whether the output has the input's first two axes: then the first may just as well be time."""
    if given.dim() < 2:
        return False
    return any(o.dim() >= 2 and o.shape[:2] == given.shape[:2] for o in outputs)


def causality(
    subject: Subject,
    inputs: tuple[str, ...],
    targets: tuple[str, ...],
    judged: Sequence[int] = (),
    ahead: Sequence[int | None] = (),
) -> Causality:
    """Only where the targets are the inputs shifted is looking ahead a leak.

    `judged` is how many targets each loss saw: one position fewer than the sequences have is a shift;
    `ahead` is by how many places they stand ahead of the tokens that were looked up.
    """
    leaves = dict(batches.leaves(subject.batch))
    pair = _pair(leaves, inputs, targets)
    if pair is None and (own := _shifted_by_the_step(leaves, inputs, targets, judged, ahead)) is not None:
        name, length, left_out = own
        return _sees_ahead(subject, name, length, shifted=1.0, equal=0.0, cut=left_out)
    if pair is None and (name := _time_last(leaves, inputs, targets)):
        return _sees_ahead(subject, name, None, shifted=1.0, equal=0.0, axis=2)
    if pair is None:
        raise NotApplicable("no target has the shape of an input sequence")
    name, given, target = pair
    inside = given.shape[0] * (given.shape[1] - 1) in judged
    shifted, equal = _agree(target[:, :-1], given[:, 1:]), _agree(target, given)
    length = given.shape[1]
    if inside and equal == 1:
        shifted = 1.0  # the model shifts the labels itself, as pretrained language models do
    if shifted < SHIFTED and equal < 1:  # padding and special tokens differ; ordinary text does not
        raise NotApplicable("the targets are not the inputs shifted by one")
    return _sees_ahead(subject, name, length, shifted, equal)


def _shifted_by_the_step(
    leaves: dict[str, Tensor], inputs: Any, targets: Any, judged: Sequence[int], ahead: Sequence[int | None]
) -> tuple[str, int, int] | None:
    """Tokens that a step cuts itself, all but the last to read and all but the first to answer.

    Name and length, and how many of the places no output answers: none where the cut was seen as a batch.
    """
    for name, tensor in leaves.items():
        if name not in inputs or tensor.dim() != 2 or tensor.is_floating_point():
            continue
        (rows, length), cut = tensor.shape, int(name in targets)
        # The first few answers may be left out, for want of a past.
        counts = {rows * places for places in range(length - cut - length // 4, length - cut + 1)}
        if length > 3 and any(a == 1 and n in counts for a, n in zip(ahead, judged, strict=False)):
            return name, length, cut
    return None


def _time_last(leaves: dict[str, Tensor], inputs: Any, targets: Any) -> str:
    """Channels first, as convolutions take them: the input whose target is itself, one place on."""
    for name in inputs:
        for other in targets:
            given, target = leaves[name], leaves[other]
            if name != other and given.dim() == 3 and given.shape == target.shape and given.shape[2] >= 3:
                if float((target[..., :-1] == given[..., 1:]).float().mean()) >= SHIFTED:
                    return str(name)
    return ""


def _sees_ahead(
    subject: Subject,
    name: str,
    length: int | None,
    shifted: float,
    equal: float,
    cut: int = 0,
    axis: int = 1,
) -> Causality:
    """Replace everything after the middle and look before it. `cut`: places that no output answers."""
    subject.model.eval()
    subject.wake_zeros()
    subject = subject.smaller(length)
    given = dict(batches.leaves(subject.batch))[name].movedim(axis, 1)
    length = given.shape[1]
    middle = length // 2
    read = given[:, : length - cut]
    early, late = slice(0, middle), slice(middle, None)
    with torch.no_grad():
        before = _sequences(outputs_of(subject), read)
        after = _sequences(outputs_of(subject, _other(subject.batch, name, given, late, axis)), read)
        other = _sequences(outputs_of(subject, _other(subject.batch, name, given, early, axis)), read)
    return Causality(_change(before, after, early), shifted, equal, length, _change(before, other, late))


def _change(before: list[Tensor], after: list[Tensor], places: slice) -> float:
    """The largest change of an output at these places, beside the largest output."""
    return max(
        float((a[:, places] - b[:, places]).abs().max() / a.abs().max().clamp(min=1e-12))
        for a, b in zip(before, after, strict=True)
    )


def _pair(leaves: dict[str, Tensor], inputs: Any, targets: Any) -> tuple[str, Tensor, Tensor] | None:
    for name in inputs:
        for other in targets:
            given, target = leaves[name], leaves[other]
            if given.dim() >= 2 and given.shape == target.shape and given.shape[1] >= 3 and name != other:
                return name, given, target
    return None


def _agree(a: Tensor, b: Tensor) -> float:
    if a.is_floating_point() and a.dim() > 2 and a.shape[1] < 3:
        return 0.0
    return float((a == b).float().mean()) if a.numel() else 0.0


def _other(batch: Any, name: str, given: Tensor, places: slice, axis: int) -> Any:
    """The batch with other values at these places of the sequences (here time stands on the second axis)."""
    changed = given.clone()
    changed[:, places] = given.flip(1).roll(1, 0)[:, places]
    changed = changed.movedim(1, axis).contiguous()
    return batches.mapped(batch, lambda path, tensor: changed if path == name else tensor)


def _sequences(outputs: list[Tensor], given: Tensor) -> list[Tensor]:
    fitting = [o for o in outputs if o.dim() >= 2 and o.shape[:2] == given.shape[:2]]
    # Convolutions, and losses over classes, keep time on the last axis.
    fitting += [
        o.transpose(1, 2)
        for o in outputs
        if o.dim() == 3 and (o.shape[0], o.shape[2]) == given.shape[:2] and o.shape[1] != o.shape[2]
    ]
    if not fitting:
        raise NotApplicable("no output has the shape of the sequence")
    return fitting


def reach(subject: Subject, inputs: tuple[str, ...]) -> Reach:
    """Features whose gradient is exactly zero for every example."""
    subject.model.eval()
    subject.wake_zeros()
    given: dict[str, Tensor] = {}

    def track(name: str, tensor: Tensor) -> Tensor:
        if name in inputs and tensor.is_floating_point():
            given[name] = tensor.detach().clone().requires_grad_()
        return given.get(name, tensor)

    batch = batches.mapped(subject.batch, track)
    if not given:
        raise NotApplicable("the inputs are integers")
    outputs = [o for o in outputs_of(subject, batch) if o.requires_grad]
    if not outputs:
        return Reach(0, 0, ())
    total = torch.stack([(o * _signs(o)).sum().float() for o in outputs]).sum()
    slopes = torch.autograd.grad(total, list(given.values()), allow_unused=True)
    silent: list[int] = []
    features = 0
    for slope, tensor in zip(slopes, given.values(), strict=True):
        width = tensor[0].numel() if tensor.dim() > 1 else 1
        mass = torch.zeros(width) if slope is None else slope.detach().reshape(-1, width).abs().sum(0).cpu()
        silent += [features + int(i) for i in (mass == 0).nonzero().flatten()]
        features += width
    if len(silent) == features and not _takes_any(subject):
        raise NotApplicable("the model is called without an input")
    if len(silent) == features and _notices(subject, inputs):
        raise NotApplicable("the graph from output to input is cut, though values pass")
    return Reach(features, len(silent), tuple(silent[:8]))


def _takes_any(subject: Subject) -> bool:
    """Whether the model is given a tensor at all; a table of factors is not."""
    return any(call.outermost and call.inputs for call in trace(subject, train=False).calls)


def _notices(subject: Subject, inputs: tuple[str, ...]) -> bool:
    """Whether noise in place of the inputs changes any output: values may pass where gradients do not."""

    def noise(name: str, tensor: Tensor) -> Tensor:
        return torch.randn_like(tensor) if name in inputs and tensor.is_floating_point() else tensor

    with torch.no_grad():
        torch.manual_seed(subject.seed)
        before = outputs_of(subject)
        torch.manual_seed(subject.seed)
        after = outputs_of(subject, batches.mapped(subject.batch, noise))
    return any(_relative(a, b) > SAME for a, b in zip(before, after, strict=False) if a.shape == b.shape)


def ceiling(subject: Subject) -> Ceiling:
    """Draw every trainable parameter anew: an output that does not notice cannot be trained."""
    wanted = subject.parameters()
    if not wanted:
        raise NotApplicable("the model has no trainable parameter")
    subject.model.eval()
    with torch.no_grad():
        before, loss = outputs_of(subject), float(subject.loss())
        shake(wanted, subject.generator(), 2.0)
        after, changed = outputs_of(subject), float(subject.loss())
    moved = [_relative(a, b) for a, b in zip(before, after, strict=False) if a.shape == b.shape]
    return Ceiling(max(moved, default=1.0), abs(changed - loss) / max(abs(loss), 1e-12), len(wanted))


def _relative(a: Tensor, b: Tensor) -> float:
    return float((a - b).abs().max() / a.abs().max().clamp(min=1e-12)) if a.numel() else 0.0
