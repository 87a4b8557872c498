"""Data sets and loaders: what a loop iterates, what evaluation reads, what a transform does."""

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from sleuth.source.flow import ancestry, literal, possible, root
from sleuth.source.interpreter.machine import PASS_ITERABLES
from sleuth.source.interpreter.values import Call, Class, Collection, Function, Instance, Loop, Value
from sleuth.source.parsed_file import called
from sleuth.source.program import Program
from sleuth.source.topics.modes import base, may_be_model
from sleuth.source.word_search import Pattern

DATA_LOADER = "torch.utils.data.DataLoader"
TRANSFORMS = "torchvision.transforms."
_TRAIN_WORD = Pattern(r"(?:^|[/\\_.-])(train|training|trn)(?:$|[/\\_.-])", re.IGNORECASE)
_HELD_WORD = Pattern(
    r"(?:^|[/\\_.-])(val|valid|validation|test|testing|eval|dev)(?:$|[/\\_.-])", re.IGNORECASE
)
# albumentations: random by nature, unlike its resizes, crops at the centre and normalisation.
_ALBUMENTATIONS = Pattern(
    r"^albumentations\.(?:HorizontalFlip|VerticalFlip|Flip|Rotate|ShiftScaleRotate|Affine|Random\w*|GaussNoise|"
    r"CoarseDropout|Cutout|HueSaturationValue|ColorJitter|ElasticTransform|Transpose)$"
)
_RANDOM_TRANSFORM = Pattern(
    r"^torchvision\.transforms\.(?:Random\w+|ColorJitter|RandAugment|AutoAugment|TrivialAugmentWide|AugMix|"
    r"GaussianNoise|ElasticTransform|MixUp|CutMix|ScaleJitter)$"
)


DRAWS = frozenset(
    "random rand randn uniform randint choice normal randrange integers rand_like randn_like "
    "bernoulli gauss".split()
)


def loader_of(loop: Loop | None) -> list[Call]:
    """The DataLoaders that a loop may iterate, seen through enumerate, tqdm and zip-free wrappers."""
    return [] if loop is None else _loaders(loop.over)


def _loaders(value: Value | None) -> list[Call]:
    found: list[Call] = []
    for option in possible(value):
        if not isinstance(option, Call):
            continue
        if option.op == DATA_LOADER:
            found.append(option)
        elif option.args and (option.op == "builtins.enumerate" or option.op in PASS_ITERABLES):
            found.extend(_loaders(option.args[0]))
    return found


def loops_with_steps(program: Program) -> Iterator[Loop]:
    """The innermost loops that train: gradients are computed and applied in them."""
    for loop in program.training.loops:
        if loop.of("step"):
            yield loop.loop


def dataset_of(loader: Call) -> Value | None:
    return root(loader.argument(0, "dataset"))


def training_loaders(program: Program) -> list[Call]:
    return program.about(_training_loaders)


def _training_loaders(program: Program) -> list[Call]:
    return [loader for loop in loops_with_steps(program) for loader in loader_of(loop)]


def evaluation_loaders(program: Program) -> list[Call]:
    """Loaders whose batches a model gets without gradients, and that are never trained on."""
    return program.about(_evaluation_loaders)


def _evaluation_loaders(program: Program) -> list[Call]:
    trained = {id(loader) for loader in training_loaders(program)}
    found: dict[int, Call] = {}
    for call in program.calls("()"):
        if call.context.grad or not may_be_model(call.receiver):
            continue
        around = loader_of(call.context.loops[-1]) if call.context.loops else []
        # a comprehension or `next(iter(loader))` is no loop: there the batch itself tells
        given = base(call.args[0]) if call.args else None
        if isinstance(given, Call) and given.op == DATA_LOADER:
            around = [*around, given]
        found |= {id(loader): loader for loader in around if id(loader) not in trained}
    return list(found.values())


def role(dataset: Value | None) -> str:
    """`train` or `held-out`, where the way a data set is made says so; otherwise empty."""
    made = root(dataset)
    if not isinstance(made, Call):
        return ""
    train = made.keywords.get("train")
    if train is None and made.op.startswith("torchvision.datasets.") and len(made.args) > 1:
        train = made.args[1]
    known = literal(train)
    if isinstance(known, bool):
        return "train" if known else "held-out"
    words = [literal(made.keywords.get("split")), *(_texts(made.args[0]) if made.args else ())]
    words += _texts(made.keywords.get("root"))
    for word in words:
        if isinstance(word, str):
            if _HELD_WORD.search(word):
                return "held-out"
            if _TRAIN_WORD.search(word):
                return "train"
    return ""


def _texts(value: Value | None) -> list[object]:
    """The words that a value was put together from, those of f-strings included."""
    found: list[object] = []
    for here in ancestry(value, 12):
        if isinstance(text := literal(here), str):
            found.append(text)
        elif isinstance(here.node, ast.JoinedStr):
            found += [part.value for part in here.node.values if isinstance(part, ast.Constant)]
    return found


# Where torchvision's data sets take the transform when it is not given by name.
_TRANSFORM_PLACE = {"ImageFolder": 1, "DatasetFolder": 3, "STL10": 3, "SVHN": 2}
_TRANSFORM_THIRD = ("MNIST", "FashionMNIST", "KMNIST", "CIFAR10", "CIFAR100")


def given_transform(call: Call) -> Value | None:
    """The transform that a data set of a library is made with."""
    if "transform" in call.keywords or not call.op.startswith("torchvision.datasets."):
        return call.keywords.get("transform")
    name = call.op.rpartition(".")[2]
    place = 2 if name in _TRANSFORM_THIRD else _TRANSFORM_PLACE.get(name)
    return call.argument(place, "transform") if place is not None else None


def transform_of(dataset: Value | None) -> Value | None:
    """What a data set does to each item: given by name to a library's, kept as an attribute by the "
    "project's own."""
    made = root(dataset)
    if isinstance(made, Call):
        return root(given_transform(made))
    if isinstance(made, Instance):
        getter = method(made.cls, "__getitem__")
        for name in _own_calls(getter) if getter is not None else ():
            options = [root(option) for option in possible(made.attributes.get(name))]
            if options:  # made by the split, the calmer one may be this one's
                return next((option for option in options if not random_steps(option)), options[0])
    return None


def _own_calls(getter: ast.AST) -> Iterator[str]:
    """The attributes that a method calls whatever the split; `if self.transform:` asks for itself alone."""
    by_flag = {
        id(inner): ast.unparse(branch.test)
        for branch in ast.walk(getter)
        if isinstance(branch, ast.If | ast.IfExp)
        for inner in ast.walk(branch)
    }
    for node in ast.walk(getter):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Name) and node.func.value.id == "self":
                if node.func.attr in by_flag.get(id(node), node.func.attr):
                    yield node.func.attr


def steps_of(transform: Value | None) -> list[Call]:
    """The steps of a transform, compositions opened."""
    made = root(transform)
    if not isinstance(made, Call):
        return []
    if made.op.rpartition(".")[2] in ("Compose", "Sequential", "OneOf", "SomeOf") and (
        made.op.startswith((TRANSFORMS, "albumentations.", "torch.nn."))
    ):
        inner = root(made.args[0]) if made.args else None
        items = inner.items if isinstance(inner, Collection) else made.args
        return [step for item in items for step in steps_of(item)]
    return [made]


def is_open(transform: Value | None) -> bool:
    """Whether a composition may hold more steps than were seen."""
    made = root(transform)
    if not isinstance(made, Call):
        return True
    inner = root(made.args[0]) if made.args else None
    return made.op.endswith("Compose") and not (isinstance(inner, Collection) and not inner.open)


def random_steps(transform: Value | None) -> list[Value]:
    """The steps that draw random numbers; one with probability 0 draws none."""
    made = root(transform)
    if isinstance(made, Instance | Function):
        return _own_random_steps(made)
    return [
        step
        for step in steps_of(made)
        if (_RANDOM_TRANSFORM.match(step.op) or _ALBUMENTATIONS.match(step.op))
        and literal(step.keywords.get("p")) not in (0, 0.0)
    ]


def _own_random_steps(made: Instance | Function, depth: int = 0) -> list[Value]:
    """A transform that the project wrote itself: a function, an object with `__call__`, a chain of these."""
    if isinstance(made, Function):
        return [made] if draws_at_random(made.definition) else []
    definition = method(made.cls, "__call__") or method(made.cls, "forward")
    if definition is None or depth > 3:
        return []
    if draws_at_random(definition):
        return [made]
    found: list[Value] = []
    for held in made.attributes.values():
        inner = root(held)
        for item in inner.items if isinstance(inner, Collection) else [inner]:
            step = root(item)
            if isinstance(step, Instance | Function):
                found.extend(_own_random_steps(step, depth + 1))
            elif isinstance(step, Call):
                found.extend(random_steps(step))
    return found


def draws_at_random(definition: ast.AST | None) -> bool:
    """Whether a function draws numbers, other than in training mode only."""
    if definition is None:
        return False
    draws = False
    for node in ast.walk(definition):
        if isinstance(node, ast.Attribute) and node.attr == "training":
            return False
        draws = draws or is_draw(node)
    return draws


def is_draw(node: ast.AST) -> TypeGuard[ast.Call]:
    """`random()`, `torch.rand(...)`, `rng.uniform(...)`"""
    return isinstance(node, ast.Call) and called(node) in DRAWS


def name_of(step: Value) -> str:
    """How people call a step."""
    if isinstance(step, Instance):
        return step.cls.name
    if isinstance(step, Function):
        return getattr(step.definition, "name", "lambda")
    return step.op.rpartition(".")[2] if isinstance(step, Call) else ""


def class_of(dataset: Value | None) -> Class | None:
    made = root(dataset)
    return made.cls if isinstance(made, Instance) else None


def method(cls: Class | None, name: str) -> ast.FunctionDef | None:
    member = cls.member(name) if cls is not None else None
    definition = getattr(member, "definition", None)
    return definition if isinstance(definition, ast.FunctionDef) else None


def line(value: Value | None) -> int:
    return getattr(value.node, "lineno", 0) if value is not None else 0
