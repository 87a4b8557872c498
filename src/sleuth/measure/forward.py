"""Running model and loss under observation: every torch call with its tensors, module and source line."""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from sleuth.finding import Where
from sleuth.measure import batches
from sleuth.measure.owned_modules import every_module, module_names
from sleuth.measure.subject import Subject
from sleuth.measure.tape import tensors_in
from sleuth.torch_losses import OF_PREDICTIONS

Answer = TypeVar("Answer")

_TORCH = str(Path(torch.__file__).parent)
_SLEUTH = str(Path(__file__).parents[1])
_DOOR = str(Path("measure", "subject.py"))


@dataclass(frozen=True, eq=False)
class Op:
    """One call of a torch function, as it happened."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    module: str
    outside: bool  # in the step's own code, not inside a module call
    path: str | None
    line: int | None
    grad: bool

    @property
    def where(self) -> Where:
        return Where(_short(self.path), self.line, module=self.module or None)


@dataclass(frozen=True, eq=False)
class ModuleCall:
    """One call of a module, in the order in which they returned."""

    module: nn.Module
    path: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    outermost: bool
    number: int

    @property
    def kind(self) -> str:
        return type(self.module).__name__


@dataclass(frozen=True, eq=False)
class Use:
    """One use of a library loss."""

    name: str
    input: Tensor
    target: Tensor
    value: Tensor
    options: dict[str, Any]
    where: Where
    grad: bool

    @property
    def reduction(self) -> str:
        return str(self.options.get("reduction", "mean"))


@dataclass(frozen=True, eq=False)
class Run:
    """What one pass of model and loss did."""

    loss: Tensor
    ops: tuple[Op, ...]
    calls: tuple[ModuleCall, ...]
    born: tuple[Tensor, ...] = ()  # made out of nothing in this pass, wanting a gradient
    reads: tuple[Op, ...] = ()  # values taken out of torch, as `.item()` and `.numpy()` do

    @property
    def uses(self) -> tuple[Use, ...]:
        return tuple(use for op in self.ops if op.name in OF_PREDICTIONS and (use := _use(op)) is not None)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """What the outermost modules gave back, floating point only."""
        return tuple(
            tensor
            for call in self.calls
            if call.outermost and not is_loss_module(call.module)
            for tensor in call.outputs
            if tensor.is_floating_point()
        )


def trace(subject: Subject, batch: Any = None, train: bool | None = True) -> Run:
    """One pass under observation. `train`: the mode to run in; None leaves it."""
    set_mode(subject.model, train)
    with _Observer(subject.model) as observer:
        loss = subject.loss(batch)
    return Run(loss, tuple(observer.ops), tuple(observer.calls), tuple(observer.born), tuple(observer.reads))


def set_mode(model: nn.Module, train: bool | None) -> None:
    """Train mode is set only where the model is not in it: some keep parts in eval on purpose."""
    if train is False:
        model.eval()
    elif train and not model.training:
        model.train()


def is_loss_module(module: nn.Module) -> bool:
    return type(module).__module__ == "torch.nn.modules.loss"


def outputs_of(subject: Subject, batch: Any = None) -> list[Tensor]:
    """What the outermost modules return, without recording every operation."""
    found: list[Tensor] = []
    depth = [0]

    def enter(*_: Any) -> None:
        depth[0] += 1

    def leave(module: nn.Module, _: Any, output: Any) -> None:
        depth[0] -= 1
        if depth[0] == 0 and not is_loss_module(module):
            found.extend(tensor for tensor in tensors_in(output) if tensor.is_floating_point())

    with ExitStack() as stack:
        for module in every_module(subject.model):
            stack.callback(module.register_forward_pre_hook(enter).remove)
            stack.callback(module.register_forward_hook(leave).remove)
        subject.loss(batch)
    return found


def gradients(loss: Tensor, wanted: Sequence[Tensor], again: bool = False) -> list[Tensor | None]:
    """d loss / d each, None where there is no path. Leaves `.grad` alone."""
    if not loss.requires_grad or not wanted:
        return [None] * len(wanted)
    return list(torch.autograd.grad(loss, list(wanted), allow_unused=True, retain_graph=again))


def each_gradient(
    loss: Tensor, wanted: Mapping[str, Tensor], read: Callable[[str, Tensor], Answer], again: bool = False
) -> dict[str, Answer | None]:
    """Read each gradient the moment it is complete and let it go: together they are as large as the model."""
    found: dict[str, Answer | None] = dict.fromkeys(wanted)
    if not loss.requires_grad or not wanted:
        return found

    def reader(name: str) -> Callable[[Tensor], Tensor]:
        def hook(slope: Tensor) -> Tensor:
            found[name] = read(name, slope.detach())
            if slope.is_sparse:
                return slope
            return slope.new_zeros(()).expand(slope.shape)  # what autograd keeps instead weighs nothing

        return hook

    with ExitStack() as stack:
        for name, tensor in wanted.items():
            stack.callback(tensor.register_hook(reader(name)).remove)  # type: ignore[no-untyped-call]
        gradients(loss, list(wanted.values()), again)
    return found


def source_of(function: Any) -> Where | None:
    """File and line where a function or a module's forward is written, where that can be known."""
    target = type(function).forward if isinstance(function, nn.Module) else function
    try:
        path, line = inspect.getsourcefile(target), inspect.getsourcelines(target)[1]
    except (OSError, TypeError):
        return None
    return None if path is None or path.startswith(_TORCH) else Where(_short(path), line)


def user_frame() -> tuple[str | None, int | None]:
    """The nearest line that belongs to the user; a replayed call answers with the line it was recorded at."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if "recorded_at" in frame.f_locals and path.startswith(_SLEUTH):
            place: tuple[str | None, int | None] = frame.f_locals["recorded_at"]
            return place
        if path.endswith(_DOOR):
            break  # beyond this frame stands whoever asked Sleuth, not the code that is examined
        if not path.startswith((_TORCH, _SLEUTH, "<")):
            return path, frame.f_lineno
        frame = frame.f_back
    return None, None


@dataclass
class _Observer(TorchFunctionMode):
    """Notes every torch call and every module call while it is entered; removes itself."""

    model: nn.Module
    ops: list[Op] = field(default_factory=list)
    calls: list[ModuleCall] = field(default_factory=list)
    born: list[Tensor] = field(default_factory=list)
    reads: list[Op] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    undo: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        super().__init__()
        self.names = module_names(self.model)

    def __enter__(self) -> "_Observer":
        for module in every_module(self.model):
            handles = (
                module.register_forward_pre_hook(self._entered),
                module.register_forward_hook(self._left, with_kwargs=True),
            )
            for handle in handles:
                self.undo.callback(handle.remove)
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        self.undo.close()

    def _entered(self, module: nn.Module, _: Any) -> None:
        self.stack.append(self.names.get(id(module), type(module).__name__))

    def _left(self, module: nn.Module, inputs: Any, keywords: Any, output: Any) -> None:
        path = self.stack.pop() if self.stack else ""
        given = tuple(tensor for _, tensor in batches.leaves((inputs, keywords)))
        made = tuple(tensors_in(output))
        self.calls.append(ModuleCall(module, path, given, made, not self.stack, len(self.ops)))

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        keywords = kwargs or {}
        result = func(*args, **keywords)
        if not computes(func):
            return result
        name = getattr(func, "__name__", "")
        given = tuple(_tensors((*args, *keywords.values())))
        made = tuple(_tensors((result,)))
        if not given:
            self.born.extend(tensor for tensor in made if tensor.requires_grad)
        name = func.__self__.__name__ if name == "__get__" else name.strip("_")
        if given and (made or name in _READS):
            path, line = user_frame()
            where = self.stack[-1] if self.stack else ""
            entry = (name, func, args, keywords, given, made, where)
            shelf = self.ops if made else self.reads
            shelf.append(Op(*entry, not self.stack, path, line, torch.is_grad_enabled()))
        return result


# Looking at a tensor is not computing with it.
_QUIET = frozenset({"__set__", "size", "dim", "__len__", "is_floating_point", "numel", "stride", "backward"})
_READS = frozenset({"item", "tolist", "numpy", "array", "float", "int"})
_ATTRIBUTES = frozenset(
    {"T", "mT", "H", "mH", "data", "real", "imag"}
)  # read like a number, made like a result


def computes(function: Any) -> bool:
    """Whether a torch function makes a value; attributes such as `shape` only tell about one."""
    name = getattr(function, "__name__", "")
    if name == "__get__":
        return getattr(getattr(function, "__self__", None), "__name__", "") in _ATTRIBUTES
    return name not in _QUIET


def _tensors(values: Sequence[Any], depth: int = 0) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (tuple, list)) and depth < 2:
            yield from _tensors(value, depth + 1)


def _use(op: Op) -> Use | None:
    try:
        bound = inspect.signature(op.function).bind(*op.arguments, **op.keywords)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    options = dict(bound.arguments)
    given, target = options.pop("input", None), options.pop("target", None)
    if not isinstance(given, Tensor) or not isinstance(target, Tensor):
        return None
    return Use(op.name, given, target, op.outputs[0], options, op.where, op.grad)


def _short(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
