"""What is best when small, and what when large: errors, overlaps, similarities, likelihoods, rewards."""

import re
from collections.abc import Iterator

from sleuth.finding import Telling
from sleuth.source.flow import ancestry, layer, number, root, subject
from sleuth.source.interpreter.values import Call, Unknown, Value
from sleuth.source.topics.activations import always, kind, origins
from sleuth.source.topics.modules import sole_maker
from sleuth.source.topics.terms import terms, through_reductions
from sleuth.source.word_search import Pattern

_GATHERS = ("gather", "torch.gather")
_ADDS_UP = ("sum", "mean", "torch.sum", "torch.mean")  # a sum of log-probabilities is that of all together
_GAIN = Pattern(r"reward|return|advantage|\badv|gae", re.IGNORECASE)
_COST = Pattern(r"cost|loss|penalt|regret|length|energy|error|neg", re.IGNORECASE)
_SIMILARITIES = (
    "torch.nn.functional.cosine_similarity",
    "torch.nn.CosineSimilarity",
    "torch.cosine_similarity",
)


def is_overlap(call: Call) -> bool:
    """Dice, IoU, soft F1: the sum of a product, over the sums of its two factors."""
    if call.op != "/" or len(call.args) != 2:
        return False
    shared = [part for part in _summands(call.args[0]) if part.op == "*"]
    if not shared:
        return False
    below = [root(part) for part in ancestry(call.args[1], 60)]
    return any(
        all(any(_same_sum(part, factor) for part in below) for factor in product.args)
        for product in shared
        if all(number(factor) is None for factor in product.args)
    )


def _same_sum(value: Value | None, factor: Value) -> bool:
    return isinstance(value, Call) and value.op == ".sum" and root(value.receiver) is root(factor)


def _summands(value: Value) -> list[Call]:
    """The tensors whose sum stands in a numerator, literal factors and smoothing left out."""
    found: list[Call] = []
    for part in terms(value):
        inner = through_reductions(part.value)
        if isinstance(inner, Call) and any(call.op in (".sum", "torch.sum") for call in part.around):
            found.append(inner)
    return found


def is_squared_error(value: Value) -> bool:
    inner = through_reductions(value)
    if not isinstance(inner, Call) or inner.op not in ("**", ".pow", ".square", "torch.square"):
        return False
    made = root(subject(inner) if inner.op != "**" else inner.args[0])
    return isinstance(made, Call) and made.op == "-" and bool(always(made.args[0], ("raw",)))


def is_similarity(value: Value) -> bool:
    return isinstance(value, Call) and layer(value) in _SIMILARITIES


_LOG_SUMS = (
    "torch.logsumexp",
    ".logsumexp",
    "torch.logcumsumexp",
    ".logcumsumexp",
    "torch.special.logsumexp",
)


def is_log_share(call: Call) -> bool:
    """`score - logsumexp(scores)`: the log of a share, never above zero. (Contrastive losses, Cox models.)"""
    operands = call.args if call.receiver is None else (call.receiver, *call.args)
    if call.op not in ("-", ".sub", "torch.sub") or len(operands) != 2:
        return False
    whole = sole_maker(operands[1])
    if whole is None or whole.op not in _LOG_SUMS:
        return False
    scores = {id(root(part)) for part in ancestry(subject(whole), 60) if isinstance(part, Call | Unknown)}
    return any(id(root(part)) in scores for part in _picked(operands[0]))


def _picked(value: Value) -> Iterator[Value]:
    """A value, and what it was picked out of."""
    here: Value | None = value
    for _ in range(8):
        if here is None:
            return
        yield here
        here = root(here)
        here = subject(here) if isinstance(here, Call) and layer(here).lstrip(".") in _PICKS else None


_PICKS = frozenset(
    "[] gather diag diagonal torch.gather torch.diag torch.diagonal squeeze view reshape".split()
)


def is_likelihood(value: Value) -> Telling | None:
    """A log-probability of the data: from a distribution, or picked from a log-softmax by the target."""
    if isinstance(value, Call) and is_log_share(value):
        return "proven"
    if isinstance(value, Call) and value.op in ("*", ".mul", "torch.mul"):
        factors = value.args if value.receiver is None else (value.receiver, *value.args)
        shares = [part for part in map(root, factors) if isinstance(part, Call) and is_log_share(part)]
        return "likely" if len(shares) == 1 else None  # times a mask, or a weight
    if isinstance(value, Call) and value.op == ".log_prob":
        made = root(value.receiver)
        known = isinstance(made, Call) and made.op.startswith("torch.distributions.")
        drawn = (
            any(
                isinstance(part, Call) and part.op in (".sample", ".rsample")
                for part in ancestry(value.args[0], 40)
            )
            if value.args
            else True
        )
        return None if drawn else "proven" if known else "likely"
    if isinstance(value, Call) and layer(value).lstrip(".") in (*_GATHERS, "[]"):
        return "proven" if always(value, ("log_softmax", "logsigmoid"), _GATHERS) else None
    return None


def is_policy_gradient(value: Value, by_name: bool = False) -> bool:
    """`log_prob * reward` without a minus anywhere; `by_name` believes in what `log_probs` is called."""
    if not isinstance(value, Call) or value.op != "*":
        return False
    factors = [part for part in value.args if number(part) is None]
    chances = [part for part in factors if _is_log_probability(part) or (by_name and _is_so_named(part))]
    gains = [part for part in factors if part not in chances]
    return len(chances) == 1 and bool(gains) and all(_is_gain(part) for part in gains)


_NAMED_LOG = Pattern(r"^(?!.*(neg|nll))(\w*_)?(log_?(prob|pi|p)s?)(_\w+)?$", re.IGNORECASE)


def _is_log_probability(value: Value) -> bool:
    made, _ = origins(value, (*_GATHERS, *_ADDS_UP))
    return bool(made) and all(call.op == ".log_prob" or kind(call) == "log_softmax" for call in made)


def _is_so_named(value: Value) -> bool:
    """`log_probs`, handed in or kept from the episode: one of them, or all together."""
    made = root(value)
    for _ in range(4):
        if isinstance(made, Call) and made.result is None and (made.op == "next" or made.op in _GATHERED):
            made = root(made.args[0]) if made.args else None
        else:
            break
    if isinstance(made, Unknown):
        return bool(_NAMED_LOG.match(made.name))
    return isinstance(made, Call) and made.op[:1] == "@" and bool(_NAMED_LOG.match(made.op[1:]))


_GATHERED = ("torch.stack", "torch.cat", "[]")


def _is_gain(value: Value) -> bool:
    """A reward: what an environment's step gave, or a value so named; no sign may have been changed."""
    gain = False
    for part in ancestry(value, 300):
        if isinstance(part, Call):
            if part.op == "neg" or _COST.search(part.op):
                return False
            gain = (
                gain
                or (part.op == ".step" and bool(part.args))
                or bool(part.op[:1] == "@" and _GAIN.search(part.op))
            )
        elif isinstance(part, Unknown):
            if _COST.search(part.name):
                return False
            gain = gain or bool(_GAIN.search(part.name))
    return gain
