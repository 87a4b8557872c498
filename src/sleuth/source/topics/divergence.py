"""The divergence of a variational posterior from its prior, as a call or written out term by term."""

from sleuth.quick_dataclass import replace
from sleuth.source.flow import ancestry, keeps_numbers, number, root, subject
from sleuth.source.interpreter.values import Call, Unknown, Value
from sleuth.source.topics.terms import Term, terms


def weighted(term: Term) -> list[Term]:
    """The addends behind a weight that is no literal, as in `beta * kl`."""
    made = term.value
    if not isinstance(made, Call) or made.op not in ("*", ".mul") or made.result is not None:
        return [term]
    for factor in made.args if made.receiver is None else (made.receiver, *made.args):
        inner = terms(factor)
        if any(is_divergence_from_prior(part.value) or _is_exp_or_log(part.value) for part in inner):
            return [
                replace(part, sign=term.sign * part.sign, around=(*term.around, *part.around))
                for part in inner
            ]
    return [term]


def _is_exp_or_log(value: Value) -> bool:
    made = _peeled(value)
    return isinstance(made, Call) and made.op in (".exp", "torch.exp", ".log", "torch.log")


def is_divergence_from_prior(value: Value) -> bool:
    """`kl_divergence(posterior, prior)` with a prior of fixed numbers."""
    if not isinstance(value, Call) or not value.op.endswith(".kl_divergence") or len(value.args) != 2:
        return False
    prior = root(value.args[1])
    return isinstance(prior, Call) and not any(
        isinstance(part, Unknown) or (isinstance(part, Call) and part.op in ("()", "@"))
        for given in (*prior.args, *prior.keywords.values())
        if not (isinstance(made := root(given), Call) and made.op.endswith("_like"))
        for part in ancestry(given, 30)
    )


def is_variance_of_divergence(variance: Term, addends: list[Term]) -> bool:
    """`var` in `mu**2 + var - log(var) - 1`, in whatever way the log is written; all signs turned."""
    others = [term for term in addends if term is not variance]
    exponent = _exponent(variance.value)
    logs = [term for term in others if term.sign > 0 and _is_log_of(term.value, variance.value, exponent)]
    squares = [term for term in others if term.sign < 0 and _squared(term.value) is not None]
    return bool(logs) and bool(squares)


def _is_log_of(value: Value, variance: Value, exponent: Value | None) -> bool:
    if exponent is not None:
        return _peeled(value) is exponent
    made = _peeled(value)
    if not isinstance(made, Call) or made.op not in (".log", "torch.log"):
        return False
    inner = _peeled(subject(made))
    base = _squared(inner) or inner
    return base is not None and base is (_squared(variance) or _peeled(variance))


def _exponent(value: Value | None) -> Value | None:
    made = _peeled(value)
    return _peeled(subject(made)) if isinstance(made, Call) and made.op in (".exp", "torch.exp") else None


def _squared(value: Value | None) -> Value | None:
    made = _peeled(value)
    if not isinstance(made, Call):
        return None
    parts = made.args if made.receiver is None else (made.receiver, *made.args)
    if made.op in (".square", "torch.square"):
        return _peeled(parts[0])
    if made.op in ("**", ".pow", "torch.pow") and len(parts) == 2 and number(parts[1]) == 2:
        return _peeled(parts[0])
    if made.op == "*" and len(parts) == 2 and root(parts[0]) is root(parts[1]):
        return _peeled(parts[0])
    return None


def _peeled(value: Value | None) -> Value | None:
    made = root(value)
    while isinstance(made, Call) and keeps_numbers(made) and made.op != "[]":
        made = root(subject(made))
    return made
