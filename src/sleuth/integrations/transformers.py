"""Hugging Face: `Trainer(callbacks=[trainer_callback()])` watches the training and shows the report."""

import sys
from importlib import import_module
from typing import Any

from sleuth.errors import SleuthError


def trainer_callback(level: str = "default", show: bool = True) -> Any:
    """A callback that records the training. Its `report` is there once it is over."""
    try:
        base: Any = import_module("transformers").TrainerCallback
    except ImportError:
        raise SleuthError("The Trainer callback needs transformers: pip install transformers") from None

    class SleuthCallback(base):  # type: ignore[misc]
        """Starts the recorder with the training (which sees what is logged), stops with it."""

        watching: Any = None
        report: Any = None

        def on_train_begin(self, args: Any, state: Any, control: Any, **about: Any) -> None:
            from sleuth.watching.session import watch

            self.watching = watch(about.get("model"), about.get("optimizer"), level=level)

        def on_train_end(self, args: Any, state: Any, control: Any, **about: Any) -> None:
            if self.watching is not None and self.report is None:
                self.report = self.watching.stop()
                if show:
                    sys.stderr.write(f"\n{self.watching}\n")

    return SleuthCallback()
