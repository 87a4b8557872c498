"""What is added up over batches, and what the sum is divided by: rows, batches, hits, means of losses."""

import re

from sleuth.source.flow import ancestry, keeps_numbers, makers, number, possible, root, same, subject
from sleuth.source.interpreter.values import Call, Constant, Unknown, Value
from sleuth.source.losses import LossUse, is_loss_instance, loss_of
from sleuth.source.program import Program
from sleuth.source.topics.modes import identity
from sleuth.source.word_search import Pattern

LOADER = "torch.utils.data.DataLoader"
_CRITERION = Pattern(r"crit|loss", re.IGNORECASE)
_PLAIN = frozenset({".item", "builtins.float", ".detach", ".cpu", ".numpy", ".mean", "builtins.int"})


def unit_of(divisor: Value) -> str | None:
    """What a divisor is the number of: batches of a loader, or examples of its data set."""
    for option in possible(divisor):
        if isinstance(option, Call) and option.op == "builtins.len" and option.args:
            return _length_of(option.args[0])
        if isinstance(option, Call) and option.op == "+=" and option.context.loops:
            return counter(option)
    return None


def full_batches_of(divisor: Value) -> Call | None:
    """The loader in `len(loader) * batch_size`, which takes every batch for a full one."""
    for option in possible(divisor):
        if not isinstance(option, Call) or option.op != "*" or len(option.args) != 2:
            continue
        for count, size in (option.args, option.args[::-1]):
            length = next((one for one in possible(count) if isinstance(one, Call)), None)
            held = (
                length.args[0] if length is not None and length.op == "builtins.len" and length.args else None
            )
            loader = next((one for one in possible(held) if isinstance(one, Call) and one.op == LOADER), None)
            if loader is not None and _is_its_batch_size(size, loader):
                return loader
    return None


def _is_its_batch_size(size: Value, loader: Call) -> bool:
    """The number, or the very object, that the loader was given; or what it says itself."""
    given = loader.argument(1, "batch_size")
    asked = root(size)
    if isinstance(asked, Call) and asked.op == "@batch_size":
        return True
    same_number = number(size) is not None and number(size) == number(given)
    return given is not None and (same_number or same(size, given))


def sums_over_rows(amount: Value) -> bool:
    """What grows with each row there is: a count of hits, a sum, a mean times the batch's own length."""
    if counts_hits(amount) or weighted_loss(amount) is not None:
        return True
    here = root(amount)
    while isinstance(here, Call) and here.op in (".item", "builtins.float", "builtins.int"):
        here = root(here.args[0] if here.op.startswith("builtins.") and here.args else here.receiver)
    return isinstance(here, Call) and here.op in (".sum", "torch.sum", "numpy.sum")


def rows_counted_by(added: Call, divisor: Value) -> str | None:
    """`len(x)` of what the loop's batches are cut from, or of the list of batches itself."""
    for option in possible(divisor):
        if not isinstance(option, Call) or option.op != "builtins.len" or not option.args:
            continue
        held = {identity(data) for data in possible(option.args[0])}
        for value in ancestry(added.context.loops[-1].over, 40):
            if isinstance(value, Call) and _makes_batches(value):
                if identity(value) in held:
                    return "batches"
                behind = [given for given in (value.receiver, *value.args) if given is not None]
                if any(identity(data) in held for given in behind for data in ancestry(given, 20)):
                    return "examples"
    return None


def _makes_batches(call: Call) -> bool:
    return call.op in (LOADER, ".split", "torch.split", ".chunk", "numpy.array_split") or (
        call.op == "builtins.range" and len(call.args) == 3
    )


def _length_of(held: Value) -> str | None:
    for option in possible(held):
        if isinstance(option, Call) and option.op == "@dataset":
            return "examples"
        if isinstance(option, Call) and option.op == LOADER:
            return "batches"
        if isinstance(option, Unknown) and re.search(r"loader", option.name, re.IGNORECASE):
            return "batches"
        if isinstance(option, Call) and option.op[:1] == "@" and re.search(r"loader$", option.op):
            return "batches"
    return None


def counter(added: Call) -> str | None:
    """`n += len(y)` counts examples, `n += 1` batches."""
    step = added.args[1]
    if number(step) == 1:
        return None
    return "examples" if _is_batch_size(step) else None


def _is_size(option: Value) -> bool:
    if not isinstance(option, Call):
        return False
    if option.op == ".size":
        return bool(option.args) and number(option.args[0]) == 0
    return option.op == "builtins.len" or (option.op == "[]" and _first_dimension(option))


def _first_dimension(item: Call) -> bool:
    shape, key = item.args[0], item.args[1]
    return isinstance(shape, Call) and shape.op == "@shape" and number(key) == 0


def one_by_one(added: Call) -> bool:
    """A loader that serves single examples: batches and examples are the same number."""
    for loop in added.context.loops:
        for value in ancestry(loop.over, 30):
            if isinstance(value, Call) and value.op == LOADER:
                size = value.argument(1, "batch_size")
                return (size is None and "**" not in value.keywords) or number(size) == 1 or _is_none(size)
    return False


def _is_none(value: Value | None) -> bool:
    return isinstance(value, Constant) and value.value is None


def mean_loss(amount: Value) -> LossUse | None:
    """The loss, averaged over its batch, whose bare number this is."""
    for option in possible(amount):
        here: Value | None = option
        for _ in range(6):
            if isinstance(here, Call) and here.result is not None:
                here = here.result
            elif isinstance(here, Call) and (here.op in _PLAIN or keeps_numbers(here)):
                here = here.args[0] if here.op.startswith("builtins.") and here.args else subject(here)
            elif isinstance(here, Call) and here.op == "[]":
                here = here.args[0]
            else:
                break
        use = loss_of(here) if isinstance(here, Call) else None
        if use is not None and use.reduction == "mean" and not use.option("size_average"):
            return use
    return None


def handed_criterion(program: Program, amount: Value) -> str:
    """`criterion(output, target).item()` of a parameter, in a file whose criteria are all means."""
    here: Value | None = amount
    while isinstance(here, Call) and (here.op in _PLAIN or keeps_numbers(here)):
        here = here.args[0] if here.op.startswith("builtins.") and here.args else subject(here)
    applied = here.op == "()" and len(here.args) == 2 if isinstance(here, Call) else False
    given = here.receiver if isinstance(here, Call) and applied else None
    if not isinstance(given, Unknown) or not _CRITERION.search(given.name):
        return ""
    made = [call for call in program.trace if is_loss_instance(call)]
    words = ("reduction", "size_average", "reduce")
    is_mean = made and not any(word in call.keywords for call in made for word in words)
    return given.name if is_mean and "sum" not in given.name else ""


def weighted_loss(amount: Value) -> LossUse | None:
    """The mean loss in `loss.item() * len(y)`."""
    for option in possible(amount):
        product = option
        if isinstance(product, Call) and product.op in (".item", "builtins.float"):
            inner = product.args[0] if product.args else product.receiver
            product = inner if inner is not None else product
        if isinstance(product, Call) and product.op in ("*", ".mul", "torch.mul"):
            given = (product.receiver, *product.args) if product.receiver is not None else product.args
            for one, other in (given, given[::-1]) if len(given) == 2 else ():
                if one is not None and other is not None and _is_batch_size(other):
                    if (use := mean_loss(one)) is not None:
                        return use
    return None


def _is_batch_size(value: Value) -> bool:
    """`len(y)`, `y.size(0)`, `y.shape[0]`"""
    return any(_is_size(option) for option in possible(value))


def is_mean_of_hits(amount: Value) -> bool:
    """`(prediction == target).float().mean()`"""
    for maker in makers(amount):
        here: Value | None = maker
        for _ in range(3):
            if isinstance(here, Call) and here.op in (".item", "builtins.float"):
                here = here.args[0] if here.op.startswith("builtins.") and here.args else here.receiver
        if isinstance(here, Call) and here.op in (".mean", "torch.mean"):
            return any(made.op in ("==", ".eq", "torch.eq") for made in makers(subject(here)))
    return False


def counts_hits(amount: Value) -> bool:
    """`(prediction == target).sum()`"""
    for maker in makers(amount):
        here: Value | None = maker
        for _ in range(4):
            if isinstance(here, Call) and here.op in (
                ".item",
                "builtins.int",
                "builtins.float",
                ".float",
                ".long",
            ):
                here = here.args[0] if here.op.startswith("builtins.") and here.args else here.receiver
        if isinstance(here, Call) and here.op in (".sum", "torch.sum"):
            return any(made.op in ("==", ".eq", "torch.eq") for made in makers(subject(here)))
    return False
