"""Batches of loaders, examples of data sets, and the whole data that a value was cut from."""

from typing import TYPE_CHECKING

from sleuth.source.flow import SAME_NUMBERS, layer, literal, root, subject
from sleuth.source.interpreter.values import Call, Class, Collection, Function, Instance, Value
from sleuth.source.topics.shapes.shape import BATCH, Shape

if TYPE_CHECKING:
    from sleuth.source.topics.shapes.algebra import Shapes

TABLES = frozenset(
    f"sklearn.datasets.{name}"
    for name in "load_iris load_digits load_wine load_breast_cancer load_diabetes fetch_california_housing "
    "make_regression make_classification make_blobs make_moons make_circles make_friedman1".split()
)


def shape_of_batch(algebra: "Shapes", iterable: Value, place: int | None) -> Shape | None:
    """The shape of one part of a loader's batch."""
    dataset = dataset_of(iterable)
    if dataset is None:
        return None
    example = example_of(algebra, dataset, place)
    if example is None:
        return None
    shape = algebra.of(example[0])
    if shape is None or (example[1] and not shape.rank):
        return None
    return Shape((BATCH, *(shape.sizes[1:] if example[1] else shape.sizes)), shape.sure)


def dataset_of(iterable: Value | None) -> Value | None:
    settled = root(iterable)
    for _ in range(6):
        if (
            isinstance(settled, Call)
            and settled.op in ("builtins.iter", "tqdm.tqdm", "tqdm.auto.tqdm")
            and settled.args
        ):
            settled = root(settled.args[0])
    if isinstance(settled, Call) and settled.op == "torch.utils.data.DataLoader":
        batched = "collate_fn" not in settled.keywords and "batch_sampler" not in settled.keywords
        return settled.argument(0, "dataset") if batched else None
    return None


def example_of(algebra: "Shapes", dataset: Value | None, place: int | None) -> tuple[Value, bool] | None:
    """One part of an example, and whether its first axis still counts the examples."""
    settled = root(dataset)
    for _ in range(6):
        if isinstance(settled, Call) and settled.op == "torch.utils.data.Subset":
            settled = root(settled.argument(0, "dataset"))
        elif (
            isinstance(settled, Call)
            and settled.op == "[]"
            and isinstance(split := root(settled.args[0]), Call)
        ):
            settled = root(split.args[0]) if split.op.endswith("random_split") and split.args else None
    if isinstance(settled, Call) and settled.op == "torch.utils.data.TensorDataset" and place is not None:
        whole = place < len(settled.args) and not any(isinstance(part, Collection) for part in settled.args)
        return (settled.args[place], True) if whole else None
    if isinstance(settled, Instance):
        return _given_by(algebra, settled.cls, place)
    return None


def _given_by(algebra: "Shapes", cls: Class, place: int | None) -> tuple[Value, bool] | None:
    getter = cls.member("__getitem__")
    given = (
        root(algebra.returned(getter.definition))
        if isinstance(getter, Function) and getter.definition
        else None
    )
    if place is None:
        return (given, False) if given is not None else None
    if isinstance(given, Collection) and not given.open and place < len(given.items):
        return given.items[place], False
    return None


def cut_from(algebra: "Shapes", call: Call) -> Value | None:
    """What a value is a batch, a split, a slice or a plain copy of."""
    short = layer(call).rpartition(".")[2].lstrip("@")
    if call.op == "[]" and len(call.args) == 2:
        whole, place = root(call.args[0]), literal(call.args[1])
        if (
            isinstance(whole, Call)
            and whole.op in ("next", "builtins.next")
            and isinstance(place, int)
            and whole.args
        ):
            example = example_of(algebra, dataset_of(whole.args[0]), place)
            return example[0] if example is not None else None
        if isinstance(whole, Call) and isinstance(place, int):
            if whole.op == "sklearn.model_selection.train_test_split" and place < 2 * len(whole.args):
                return whole.args[place // 2]
            if whole.op in TABLES:
                return None
        return call.args[0]
    if short in SAME_NUMBERS or short in (
        "tensor",
        "as_tensor",
        "from_numpy",
        "array",
        "asarray",
        "astype",
        "values",
    ):
        return subject(call)
    return None
