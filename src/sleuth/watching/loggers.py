"""The doors of loggers: numbers for TensorBoard, wandb, MLflow, Lightning or the Trainer of transformers.

They are noted on their way; the logger gets what it was given. A logger that another one calls (Lightning
writing to TensorBoard) is not noted a second time.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sleuth.watching import printed
from sleuth.watching.importing import when_imported
from sleuth.watching.state import State

Numbers = Iterable[tuple[Any, Any]]
Reader = Callable[[dict[str, Any]], Numbers]  # from the arguments of a call, by name


def attach(state: State, patches: Any) -> None:
    for door in DOORS:
        when_imported(patches, door.module, partial(_open, state, patches, door))


def _open(state: State, patches: Any, door: "Door", module: Any) -> None:
    """A version of the library that has no such class or method is left alone."""
    owner = getattr(module, door.owner, None)
    if owner is not None:
        patches.replace(owner, door.method, lambda original: _watched(state, original, door))


def _watched(state: State, original: Any, door: "Door") -> Any:
    def log(self: Any, *args: Any, **kwargs: Any) -> Any:
        if state.off or state.logging:
            return original(self, *args, **kwargs)
        try:
            given = {"self": self, **dict(zip(door.names, args, strict=False)), **kwargs}
            _note(state, door.read(given), door.source)
        except Exception as error:
            state.give_up(error)
        state.logging = True
        try:
            return original(self, *args, **kwargs)
        finally:
            state.logging = False

    return log


def _note(state: State, numbers: Numbers, source: str) -> None:
    line = state.places.here()[1]
    for name, value in numbers:
        number = plain(value)
        if number is not None and not told(state, str(name), number):
            printed.put(state, str(name), number, line, source)


def told(state: State, name: str, number: float) -> bool:
    """Whether this is what was noted last: Lightning hands on at the end of a step what it got within."""
    n, value = state.latest.get(name, (-2, 0.0))
    return value == number and state.n - n <= 1


def plain(value: Any) -> float | None:
    """A number, also in a tensor or an array of one; pictures, texts and tables are none."""
    if isinstance(value, str):
        return None
    try:
        return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, RuntimeError):
        return None


def _one(given: dict[str, Any]) -> Numbers:
    return [(given.get("tag"), given.get("scalar_value"))]


def _several(given: dict[str, Any]) -> Numbers:
    scalars = given.get("tag_scalar_dict") or {}
    return [(f"{given.get('main_tag')}/{name}", value) for name, value in scalars.items()]


def _mapping(name: str, *but: str) -> Reader:
    """Of the argument that holds numbers by name."""

    def read(given: dict[str, Any]) -> Numbers:
        values: Any = given.get(name)
        pairs = values.items() if hasattr(values, "items") else ()
        return [(key, value) for key, value in pairs if key not in but]

    return read


def _metric(given: dict[str, Any]) -> Numbers:
    return [(given.get("key"), given.get("value"))]


def _metrics(given: dict[str, Any]) -> Numbers:
    return [(metric.key, metric.value) for metric in given.get("metrics") or ()]


def _step_of_lightning(given: dict[str, Any]) -> Numbers:
    """What `self.log` is given in training; of other passes the mean is told at their end."""
    trainer = getattr(given["self"], "_trainer", None)
    return [(given.get("name"), given.get("value"))] if trainer is not None and trainer.training else []


@dataclass(frozen=True)
class Door:
    """One method that takes numbers: where it is, the names of its arguments, and how to read a call."""

    module: str
    owner: str
    method: str
    names: tuple[str, ...]
    source: str  # as the record names it
    read: Reader


TENSORBOARD = ("torch.utils.tensorboard.writer", "tensorboardX.writer")
LIGHTNING = ("lightning.pytorch", "pytorch_lightning")
CONNECTOR = "trainer.connectors.logger_connector.logger_connector"
_MEANS = _mapping("metrics", "epoch", "step")
DOORS = (
    *(
        Door(module, "SummaryWriter", method, names, "tensorboard", read)
        for module in TENSORBOARD
        for method, names, read in (
            ("add_scalar", ("tag", "scalar_value"), _one),
            ("add_scalars", ("main_tag", "tag_scalar_dict"), _several),
        )
    ),
    Door("wandb.sdk.wandb_run", "Run", "log", ("data",), "wandb", _mapping("data")),
    Door(
        "mlflow.tracking.client", "MlflowClient", "log_metric", ("run_id", "key", "value"), "mlflow", _metric
    ),
    Door("mlflow.tracking.client", "MlflowClient", "log_batch", ("run_id", "metrics"), "mlflow", _metrics),
    Door("transformers.trainer", "Trainer", "log", ("logs",), "transformers", _mapping("logs", "epoch")),
    *(
        door
        for package in LIGHTNING
        for door in (
            Door(
                f"{package}.{CONNECTOR}", "_LoggerConnector", "log_metrics", ("metrics",), "lightning", _MEANS
            ),
            Door(
                f"{package}.core.module",
                "LightningModule",
                "log",
                ("name", "value"),
                "lightning",
                _step_of_lightning,
            ),
        )
    ),
)
