"""Ends the training loops that a framework drives the way the framework itself would."""

import contextlib
from importlib import import_module
from typing import Any

from sleuth.lab.control import Control
from sleuth.watching.importing import when_imported


def attach(control: Control, patches: Any) -> None:
    """Lightning and the Trainer of transformers stop at the limit and go on to what follows training."""
    for name in ("lightning.pytorch.trainer.trainer", "pytorch_lightning.trainer.trainer"):
        when_imported(patches, name, lambda module: _lightning(module, control))
    when_imported(patches, "transformers.trainer", lambda module: _transformers(module, control))


def _lightning(module: Any, control: Control) -> None:
    original = module.Trainer.__init__

    def init(trainer: Any, *args: Any, **keywords: Any) -> None:
        original(trainer, *args, **keywords)

        def stop() -> None:
            trainer.should_stop = True

        control.at_limit.append(stop)

    module.Trainer.__init__ = init


def _transformers(module: Any, control: Control) -> None:
    base: Any = import_module("transformers").TrainerCallback

    class Stop(base):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, flow: Any, **_: Any) -> Any:
            if control.over:
                flow.should_training_stop = True
            return flow

    original = module.Trainer.__init__

    def init(trainer: Any, *args: Any, **keywords: Any) -> None:
        original(trainer, *args, **keywords)
        with contextlib.suppress(Exception):
            trainer.add_callback(Stop())

    module.Trainer.__init__ = init
