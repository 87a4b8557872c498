"""The losses torch ships, as plain facts: what each is called, what it takes, what guessing costs with it."""

import math
from collections.abc import Mapping

from sleuth.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TorchLoss:
    """A loss of `torch.nn.functional` and the class of `torch.nn` that calls it."""

    function: str
    class_name: str
    takes: tuple[str, ...] = ("input", "target")  # its first arguments

    @property
    def target_at(self) -> int | None:
        """Where the target stands among its arguments; None where nothing is given as one."""
        places = [place for place, name in enumerate(self.takes) if name in ("target", "targets")]
        return places[0] if places else None


LOSSES: Mapping[str, TorchLoss] = {
    loss.function: loss
    for loss in (
        TorchLoss("cross_entropy", "CrossEntropyLoss"),
        TorchLoss("nll_loss", "NLLLoss"),
        TorchLoss("binary_cross_entropy", "BCELoss"),
        TorchLoss("binary_cross_entropy_with_logits", "BCEWithLogitsLoss"),
        TorchLoss("kl_div", "KLDivLoss"),
        TorchLoss("mse_loss", "MSELoss"),
        TorchLoss("l1_loss", "L1Loss"),
        TorchLoss("smooth_l1_loss", "SmoothL1Loss"),
        TorchLoss("huber_loss", "HuberLoss"),
        TorchLoss("poisson_nll_loss", "PoissonNLLLoss"),
        TorchLoss("gaussian_nll_loss", "GaussianNLLLoss"),
        TorchLoss("hinge_embedding_loss", "HingeEmbeddingLoss"),
        TorchLoss("soft_margin_loss", "SoftMarginLoss"),
        TorchLoss("multilabel_margin_loss", "MultiLabelMarginLoss"),
        TorchLoss("multilabel_soft_margin_loss", "MultiLabelSoftMarginLoss"),
        TorchLoss("multi_margin_loss", "MultiMarginLoss"),
        TorchLoss("cosine_embedding_loss", "CosineEmbeddingLoss", ("input1", "input2", "target")),
        TorchLoss("margin_ranking_loss", "MarginRankingLoss", ("input1", "input2", "target")),
        TorchLoss("triplet_margin_loss", "TripletMarginLoss", ("anchor", "positive", "negative")),
        TorchLoss(
            "triplet_margin_with_distance_loss",
            "TripletMarginWithDistanceLoss",
            ("anchor", "positive", "negative"),
        ),
        TorchLoss("ctc_loss", "CTCLoss", ("log_probs", "targets", "input_lengths", "target_lengths")),
    )
}
BY_CLASS_NAME: Mapping[str, str] = {loss.class_name: loss.function for loss in LOSSES.values()}

# Those that hold a prediction against a target of its own.
OF_PREDICTIONS = frozenset(name for name, loss in LOSSES.items() if loss.takes == ("input", "target"))
# Every example has one class, or a yes or no for each.
OVER_CLASSES = frozenset({"cross_entropy", "nll_loss"})
OF_YES_OR_NO = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})
# What the input is: raw scores, log-probabilities, probabilities, or a number to be compared with a number.
WANTS_LOGITS = frozenset({"cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss"})
WANTS_LOG_PROBABILITIES = frozenset({"nll_loss", "kl_div", "ctc_loss"})
WANTS_PROBABILITIES = frozenset({"binary_cross_entropy"})
COMPARES_NUMBERS = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})


def cost_of_guessing(function: str, classes: int | None) -> float | None:
    """The mean loss of a model that holds all classes for equally likely; None where that is not known.

    Weights of classes do not move it: cross-entropy divides by the sum of those it used.
    """
    if function in OVER_CLASSES:
        return math.log(classes) if classes and classes > 1 else None
    return math.log(2) if function in OF_YES_OR_NO else None
