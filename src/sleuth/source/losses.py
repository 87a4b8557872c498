"""The losses a program computes, whatever way they are written: module, function or method."""

from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.flow import literal
from sleuth.source.interpreter.scene import Scene
from sleuth.source.interpreter.values import Call, Instance, Value

# Functional name ← class name.
_CLASSES = {
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "KLDivLoss": "kl_div",
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "PoissonNLLLoss": "poisson_nll_loss",
    "GaussianNLLLoss": "gaussian_nll_loss",
    "HingeEmbeddingLoss": "hinge_embedding_loss",
    "CosineEmbeddingLoss": "cosine_embedding_loss",
    "MarginRankingLoss": "margin_ranking_loss",
    "TripletMarginLoss": "triplet_margin_loss",
    "MultiMarginLoss": "multi_margin_loss",
    "MultiLabelMarginLoss": "multilabel_margin_loss",
    "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss",
    "SoftMarginLoss": "soft_margin_loss",
    "CTCLoss": "ctc_loss",
}
_FUNCTIONS = frozenset(_CLASSES.values())

# Losses whose input is raw scores, log-probabilities, probabilities, or a number compared with a number.
WANTS_LOGITS = frozenset({"cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss"})
WANTS_LOG_PROBABILITIES = frozenset({"nll_loss", "kl_div", "ctc_loss"})
WANTS_PROBABILITIES = frozenset({"binary_cross_entropy"})
COMPARES_NUMBERS = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})


@dataclass(frozen=True)
class LossUse:
    """One computation of a loss. `name` is torch's functional name; `made` the criterion object, if any."""

    name: str
    call: Call
    input: Value | None
    target: Value | None
    made: Call | None = None

    def option(self, name: str) -> Value | None:
        if name in self.call.keywords:
            return self.call.keywords[name]
        return self.made.keywords.get(name) if self.made is not None else None

    @property
    def reduction(self) -> str:
        value = literal(self.option("reduction"))
        if isinstance(value, str):
            return value
        # The words that torch used before version 1.0.
        if literal(self.option("reduce")) is False:
            return "none"
        return "sum" if literal(self.option("size_average")) is False else "mean"


_OPERATIONS = frozenset(
    {"()", *(f"{home}.{name}" for home in ("torch", "torch.nn.functional") for name in _FUNCTIONS)}
)


def losses(scene: Scene) -> Iterator[LossUse]:
    for call in scene.trace:
        if call.op in _OPERATIONS and (use := loss_of(call)) is not None:
            yield use


def loss_of(call: Call) -> LossUse | None:
    """The loss that a call computes, if it is one of torch's."""
    made: Call | None = None
    if call.op == "()":
        made = _criterion(call.receiver)
        name = _CLASSES.get(made.op.removeprefix("torch.nn.")) if made is not None else None
    else:
        name = call.op.rpartition(".")[2] if call.op.startswith("torch.") else None
        name = name if name in _FUNCTIONS else None
    if name is None:
        return None
    return LossUse(name, call, call.argument(0, "input"), call.argument(1, "target"), made)


def _criterion(value: Value | None) -> Call | None:
    if isinstance(value, Call) and value.op.startswith("torch.nn.") and value.receiver is None:
        return value
    return None


def is_loss_instance(value: Value | None) -> bool:
    """A criterion object: one of torch's, or a project class named as one."""
    if isinstance(value, Instance):
        return "loss" in value.cls.name.lower() or "criterion" in value.cls.name.lower()
    made = _criterion(value)
    return made is not None and made.op.removeprefix("torch.nn.") in _CLASSES
