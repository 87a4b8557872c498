"""The record of a run: what was seen, step by step, as plain numbers that can be read without torch.

A record is a file of JSON lines. Each line has a `kind`; the other keys are the fields of the class of that
name below (left out where they have their default). Writers append and never change a line, so a killed run
is readable up to its last second. Unknown kinds and keys are skipped, so a newer record stays readable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, TypeVar

from sleuth.record.token_entries import TOKEN_KINDS

Kind = TypeVar("Kind")
Line = int  # a line of the user's code; 0 where none was found


def _restored(value: Any) -> Any:
    """A setting as the script had it: JSON has lists for tuples and no word for nan and infinity."""
    if isinstance(value, list):
        return tuple(map(_restored, value))
    if isinstance(value, dict):
        return {name: _restored(part) for name, part in value.items()}
    return float(value) if value in ("nan", "inf", "-inf") else value


Setting = Annotated[Any, _restored]


@dataclass(frozen=True, slots=True)
class Run:
    """The process: written first."""

    script: str = ""
    arguments: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    rank: int = 0
    world_size: int = 1
    accelerator: bool = False  # an accelerator is there to be used
    started: float = 0.0


@dataclass(frozen=True, slots=True)
class Parameter:
    """One tensor of a model as it stood when the model was first called."""

    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"
    trainable: bool = True
    optimizers: tuple[int, ...] = ()  # those that hold it (known from the first step on; see `Model`)
    norm: float = 0.0
    mean: float = 0.0
    std: float = 0.0
    largest: float = 0.0
    equal_rows: bool = False  # all rows of a matrix are the same: symmetric units
    device: str = "cpu"
    line: Line = 0  # of the user's code that wrote its initial values last
    path: str = ""


@dataclass(frozen=True, slots=True)
class Layer:
    """One module inside a model."""

    name: str
    type: str
    line: Line = 0  # where it was made
    path: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """A module called from the outside (a root). Written at its first call."""

    id: int
    type: str
    line: Line = 0  # where it was made
    path: str = ""
    n: int = 0  # optimizer steps taken before
    layers: tuple[Layer, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    mode_matters: bool = False  # holds dropout, batch norm or the like
    devices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Optimizer:
    """An optimizer when it was made."""

    id: int
    type: str
    line: Line = 0
    path: str = ""
    n: int = 0  # optimizer steps (of any) taken before
    lr: float = 0.0
    settings: Mapping[str, Setting] = field(
        default_factory=dict
    )  # weight_decay, momentum, betas, eps of group 0
    groups: int = 1
    parameters: int = 0  # tensors held


@dataclass(frozen=True, slots=True)
class Holding:
    """Which parameters an optimizer holds, seen at its first step and when it changes."""

    optimizer: int
    n: int = 0
    of_models: Mapping[str, int] = field(default_factory=dict)  # model id (as text) → tensors of it
    foreign: int = 0  # tensors that belong to no model called in training so far
    missing: tuple[str, ...] = ()  # trainable parameters of models in training that no optimizer holds
    missing_model: int = 0
    missing_trains: bool = False  # that model is in train mode
    frozen: tuple[str, ...] = ()  # held, requires_grad False
    without_gradient: tuple[str, ...] = ()  # held, trainable, `.grad` is None at this step


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A learning-rate schedule when it was made."""

    id: int
    type: str
    optimizer: int = 0
    line: Line = 0
    path: str = ""
    n: int = 0
    settings: Mapping[str, Setting] = field(
        default_factory=dict
    )  # T_max, step_size, gamma, total_steps, milestones...


@dataclass(frozen=True, slots=True)
class Loader:
    """A DataLoader when it was made."""

    id: int
    line: Line = 0
    path: str = ""
    dataset: str = ""  # type name
    examples: int | None = None
    batch_size: int | None = None
    shuffled: bool = False
    sampler: str = ""
    workers: int = 0
    drop_last: bool = False
    n: int = 0  # optimizer steps before it was made
    data: int = 0  # number of the data set it serves; 0 where nothing tells data sets apart


@dataclass(frozen=True, slots=True)
class Seed:
    """A call that seeds a random stream."""

    what: str
    value: int = 0
    line: Line = 0
    n: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What happened between one optimizer step and the next, in order; steps that look alike share one.

    An event is (name, id, line). Names: zero_grad, zero_grad_model, forward, no_grad (a forward without
    gradients), loss, backward, clip, unscale, step, scheduler, train, eval, make_model, make_optimizer,
    make_scheduler, load. A stretch repeated k times in a row (evaluation over a loader) is written once,
    followed by ("times", k, 0).
    """

    id: int
    events: tuple[tuple[str, int, Line], ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One optimizer step. A number that was not measured at this step is None."""

    n: int  # counts from 0 over all optimizers
    t: float = 0.0  # seconds since the process began to record
    optimizer: int = 0
    line: Line = 0
    path: str = ""
    pattern: int = 0
    loss: float | None = None  # value handed to the last backward since the step before
    backwards: int = 0  # backward calls since the step before
    loss_line: Line = 0
    loss_path: str = ""
    called_loss: float | None = None  # sum of the values of torch's loss functions that were called for it
    called_factor: float | None = None  # d loss / d the last of them: 1, 1/k when accumulating, -1 if flipped
    grad_norm: float | None = None  # all parameters of this optimizer, before any clipping
    grad_norm_at_step: float | None = None  # as the optimizer found it; differs where it was clipped
    left_over: float | None = None  # gradient norm already there when the first backward began, after a step
    clip: float | None = None  # threshold
    clipped_norm: float | None = None  # what clip_grad_norm_ returned
    lr: float | None = None
    weight_norm: float | None = None
    update_norm: float | None = None  # of the actual change of the parameters
    training: bool | None = None  # mode of the model at its last forward with gradients
    batch: str = ""  # fingerprint of the batch of the last forward
    rows: int | None = None  # its leading dimension
    data_s: float | None = None
    forward_s: float | None = None
    backward_s: float | None = None
    optimizer_s: float | None = None
    total_s: float | None = None
    cpu: float | None = None  # seconds its thread has computed since the start, seen now and then
    rss: int | None = None  # bytes
    tensors: int | None = None  # live tensors, seen now and then
    hooks: int | None = None  # on the modules of a model in training, seen now and then
    graph: int | None = None  # nodes of the graph behind the loss, counted up to a bound, seen now and then
    scale: float | None = None  # of a GradScaler


@dataclass(frozen=True, slots=True)
class Activation:
    """A leaf module's output in one training forward, from a strided sample."""

    mean: float = 0.0
    std: float = 0.0
    largest: float = 0.0
    zero: float = 0.0  # share of exact zeros
    dead_units: float = 0.0  # share of units (last or channel axis) that are zero for every example
    saturated: float = 0.0  # share in the flat tails (tanh, sigmoid)
    finite: bool = True


@dataclass(frozen=True, slots=True)
class Layers:
    """Per-layer numbers of a sampled step."""

    n: int
    gradients: Mapping[str, float | None] = field(default_factory=dict)  # parameter → norm before clipping
    weights: Mapping[str, float] = field(default_factory=dict)
    updates: Mapping[str, float] = field(default_factory=dict)  # norm of the actual change
    activations: Mapping[str, Activation] = field(default_factory=dict)  # module → statistics
    types: Mapping[str, str] = field(default_factory=dict)  # module → type name


@dataclass(frozen=True, slots=True)
class Values:
    """Statistics of one tensor of a batch."""

    path: str  # where in the batch: "0", "input_ids", "1.labels"
    shape: tuple[int, ...] = ()
    dtype: str = ""
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    nonfinite: int = 0
    constant_features: float = 0.0  # share of features that do not vary over the batch
    largest_feature_mean: float = 0.0  # max |mean| over features
    feature_std_ratio: float = 1.0  # largest feature std over the smallest that is not 0
    distinct: int | None = None  # different values, integer tensors only
    counts: Mapping[str, int] | None = None  # value → times, integer tensors with at most 100 values
    common: Mapping[str, float] | None = None  # the commonest values → their shares, integer inputs only
    last: str = ""  # the commonest value at the end of a row: what shorter rows are padded with
    role: str = ""  # "input", "target" or "": as its use showed


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as the model received it (the first ones of each phase, then now and then)."""

    n: int
    phase: str = "train"  # or "eval"
    model: int = 0
    loader: int | None = None
    fingerprint: str = ""
    line: Line = 0  # of the model call
    values: tuple[Values, ...] = ()
    repeated_rows: int = (
        0  # rows that stood in an earlier batch since the last epoch began, or twice in this one
    )


@dataclass(frozen=True, slots=True)
class LossCall:
    """A call of a loss function of torch: the first of each line and mode, then now and then."""

    function: str  # "cross_entropy", "mse_loss", ...
    line: Line = 0
    path: str = ""
    n: int = 0
    phase: str = "train"
    value: float | None = None
    reduction: str = "mean"
    input_shape: tuple[int, ...] = ()
    target_shape: tuple[int, ...] = ()
    input_dtype: str = ""
    target_dtype: str = ""
    input_min: float | None = None
    input_max: float | None = None
    probabilities: bool = (
        False  # all in [0, 1] and rows sum to one (or every value in [0, 1], two-class losses)
    )
    log_probabilities: bool = False  # exp of the rows sums to one
    target_min: float | None = None
    target_max: float | None = None
    target_distinct: int | None = None
    target_variance: float | None = None  # over the examples, mean of its columns: what a constant leaves
    ignored: float = 0.0  # share of targets equal to ignore_index
    weighted: bool = False  # class weights or pos_weight were given
    classes: int | None = None
    requires_grad: bool = True
    input_made_by: str = ""  # name of the operation (autograd node) that made the input
    output_std_over_batch: float | None = None  # spread of the predictions over the examples
    target_served: bool = False  # a loader served these targets, not made on the spot


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Forward passes of a model that no backward followed, until training went on."""

    n: int  # optimizer steps before
    model: int = 0
    line: Line = 0
    path: str = ""
    calls: int = 0
    rows: int = 0
    training: bool = False  # mode of the model
    gradients: bool = False  # gradients were enabled
    loader: int | None = None
    fingerprint: str = ""  # over its batches in order
    loss: float | None = None  # mean value of torch loss functions called meanwhile
    loss_function: str = ""
    correct: float | None = None  # share of rows whose argmax equals the target of that loss function
    seen_in_training: float | None = None  # share of its rows (hashed) that were served for training too
    constant_output: bool = False  # all predictions of the pass are the same
    inside: bool = False  # it shares a tensor with a training forward beside it: teacher, detached generator
    trained: bool = True  # the model had been trained before
    training_rows: int | None = None  # different rows (hashed) that were served for training until then
    answers: int = 0  # decisions behind `correct`: as many as rows, or one a token or pixel
    weights: str = ""  # a few of the model's weights; another checkpoint has others
    equal_rows: float | None = None  # share of its rows (hashed) that stood before in the same call
    loss_summed: bool = False  # each of those values was a sum over its rows
    again: int = 0  # calls, after the first, on the very same rows


@dataclass(frozen=True, slots=True)
class Metric:
    """A number the script printed or logged."""

    name: str
    value: float
    n: int = 0  # optimizer steps before
    t: float = 0.0
    line: Line = 0
    source: str = "stdout"  # or "tensorboard", "wandb", "mlflow", "lightning", "transformers"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A comparison of predictions with a number, as for a decision: the first of each line."""

    line: Line
    path: str = ""
    operation: str = ">"
    against: float = 0.5
    minimum: float = 0.0
    maximum: float = 0.0
    raw_output: bool = False  # the tensor is what the model returned (no sigmoid or softmax between)


@dataclass(frozen=True, slots=True)
class Overwritten:
    """What a model was fed had other values when the backward pass came to it, and no torch operation wrote
    them: the first of each line."""

    n: int
    line: Line = 0
    path: str = ""
    model: int = 0


@dataclass(frozen=True, slots=True)
class Keeper:
    """Who held most tensors when they had clearly become more: told once."""

    name: str  # as one would write it where a step is taken: `self.history`, `meter.total`
    type: str  # of container; "graph" for a tensor that reaches back through many steps
    held: int = 0  # tensors, or operations behind that one
    n: int = 0


@dataclass(frozen=True, slots=True)
class Crossed:
    """Predictions held against labels, one a row each, that met each with each: the first of each line."""

    line: Line
    path: str = ""
    operation: str = "=="
    left: tuple[int, ...] = ()  # shapes
    right: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropout:
    """A functional dropout that was active in eval mode, or rested there: the first of each on a line."""

    line: Line
    path: str = ""
    p: float = 0.0
    active: bool = False
    module_training: bool = True
    module: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """A load_state_dict call."""

    line: Line = 0
    path: str = ""
    n: int = 0
    strict: bool = True
    matched: int = 0
    missing: int = 0
    unexpected: int = 0
    overwritten: bool = False  # parameters were re-initialised after it
    own: bool = False  # a fresh model was handed nothing but its own tensors


@dataclass(frozen=True, slots=True)
class NonFinite:
    """The first non-finite value, found by replaying its step."""

    n: int
    where_seen: str = "loss"  # or "gradient"
    module: str = ""
    operation: str = ""
    line: Line = 0
    path: str = ""
    backward: bool = False  # it arose in the backward pass
    inputs: tuple[Values, ...] = ()
    replayed: bool = False  # False: the step could not be replayed and only the symptom is known


@dataclass(frozen=True, slots=True)
class Warned:
    """A Python warning raised by torch or the like."""

    text: str
    category: str = ""
    line: Line = 0
    path: str = ""
    n: int = 0


@dataclass(frozen=True, slots=True)
class Cached:
    """A file the script loaded that another part of the project may have outrun."""

    path: str
    line: Line = 0
    modified: float = 0.0
    older_than: tuple[str, ...] = ()  # local sources or data changed after it was written


@dataclass(frozen=True, slots=True)
class Replicas:
    """A fingerprint of parameters and data on each rank of a distributed run."""

    n: int
    parameters: tuple[str, ...] = ()
    batches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trouble:
    """Sleuth itself could not go on, and says why."""

    text: str


@dataclass(frozen=True, slots=True)
class End:
    """How it ended: finished, stopped (by Sleuth, enough was seen), raised, exited, interrupted."""

    status: str = "finished"
    steps: int = 0
    t: float = 0.0
    exit_code: int = 0
    exception: str = ""  # type name
    message: str = ""
    frames: tuple[tuple[str, Line, str], ...] = ()  # user's frames: file, line, function; innermost last
    shortened: tuple[str, ...] = ()  # what was cut short to reach the end sooner, in words
    backwards: int = 0  # backward calls in all, also where no step followed
    pattern: int = 0  # what happened after the last step (0: nothing)
    own_s: float = 0.0  # seconds Sleuth itself spent in the process


KINDS: Mapping[str, type[Any]] = {
    "run": Run,
    "model": Model,
    "optimizer": Optimizer,
    "holding": Holding,
    "scheduler": Scheduler,
    "loader": Loader,
    "seed": Seed,
    "pattern": Pattern,
    "step": Step,
    "layers": Layers,
    "batch": Batch,
    "loss_call": LossCall,
    "eval": Evaluation,
    "metric": Metric,
    "threshold": Threshold,
    "overwritten": Overwritten,
    "crossed": Crossed,
    "keeper": Keeper,
    "dropout": Dropout,
    "load": Load,
    "nonfinite": NonFinite,
    "warned": Warned,
    "cached": Cached,
    "replicas": Replicas,
    "trouble": Trouble,
    "end": End,
    **TOKEN_KINDS,
}


@dataclass(frozen=True)
class Record:
    """Everything one run left behind, in the order it was written."""

    items: tuple[Any, ...] = ()
    damage: tuple[str, ...] = ()  # what is wrong with the file it was read from, in sentences

    def of(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """All lines of one kind."""
        return tuple(self._by_kind.get(kind, ()))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What an optimizer climbs (`maximize=True`) has its sign turned: a loss is what is to fall."""
        climbers = {made.id for made in self.of(Optimizer) if made.settings.get("maximize")}
        if not climbers:
            return self.of(Step)
        return tuple(_turned(step) if step.optimizer in climbers else step for step in self.of(Step))

    @cached_property
    def patterns(self) -> Mapping[int, Pattern]:
        return {pattern.id: pattern for pattern in self.of(Pattern)}

    @cached_property
    def losses(self) -> tuple[float, ...]:
        """The values handed to backward, one a step, where known; non-finite ones included."""
        return tuple(step.loss for step in self.steps if step.loss is not None)

    @cached_property
    def run(self) -> Run:
        return (*self.of(Run), Run())[0]

    @cached_property
    def end(self) -> End | None:
        """None while it runs, and after a kill."""
        ends = self.of(End)
        return ends[-1] if ends else None

    @cached_property
    def _by_kind(self) -> dict[type[Any], list[Any]]:
        sorted_out: dict[type[Any], list[Any]] = {}
        for item in self.items:
            sorted_out.setdefault(type(item), []).append(item)
        return sorted_out


def _turned(step: Step) -> Step:
    loss, factor = step.loss, step.called_factor
    return replace(
        step,
        loss=None if loss is None else -loss,
        called_factor=None if factor is None else -factor,
    )
