"""Sleuth inside training frameworks: a callback for each, loaded only where the framework is."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sleuth.integrations.lightning import lightning_callback
    from sleuth.integrations.transformers import trainer_callback

__all__ = ["lightning_callback", "trainer_callback"]

_HOMES = {
    "lightning_callback": "sleuth.integrations.lightning",
    "trainer_callback": "sleuth.integrations.transformers",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sleuth.integrations' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
