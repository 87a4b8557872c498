"""Lightning: `Trainer(callbacks=[lightning_callback()])` watches the fit and shows the report at its end."""

import sys
from typing import Any

from sleuth.errors import SleuthError
from sleuth.integrations.logged import note


def lightning_callback(level: str = "default", show: bool = True) -> Any:
    """A callback that records the fit. Its `report` is there once the fit is over."""
    base = _base()

    class SleuthCallback(base):  # type: ignore[misc, valid-type]
        """Starts the recorder with the fit, notes what is logged, stops with it."""

        def __init__(self) -> None:
            self.watching: Any = None
            self.report: Any = None

        def on_fit_start(self, trainer: Any, module: Any) -> None:
            from sleuth.watching.session import watch

            self.watching = watch(module, level=level)

        def on_train_epoch_end(self, trainer: Any, module: Any) -> None:
            note(self.watching, trainer.callback_metrics, "lightning")

        def on_validation_end(self, trainer: Any, module: Any) -> None:
            if self.watching is not None and not trainer.sanity_checking:
                note(self.watching, trainer.callback_metrics, "lightning")

        def on_fit_end(self, trainer: Any, module: Any) -> None:
            self._finish(None)

        def on_exception(self, trainer: Any, module: Any, exception: BaseException) -> None:
            self._finish(exception)

        def _finish(self, error: BaseException | None) -> None:
            if self.watching is None or self.report is not None:
                return
            self.report = self.watching.stop(error)
            if show:
                sys.stderr.write(f"\n{self.watching}\n")

    return SleuthCallback()


def _base() -> Any:
    """The class that the user's own trainer knows: Lightning comes under two names."""
    from importlib import import_module
    from importlib.util import find_spec

    names: list[str] = [name for name in ("lightning.pytorch", "pytorch_lightning") if name in sys.modules]
    names += [name for name in ("lightning", "pytorch_lightning") if find_spec(name) is not None]
    if not names:
        raise SleuthError("The Lightning callback needs lightning: pip install lightning")
    name = "lightning.pytorch" if names[0].startswith("lightning") else "pytorch_lightning"
    return import_module(f"{name}.callbacks").Callback
