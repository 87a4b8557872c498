"""Sleuth finds out why a machine-learning model does not learn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sleuth._version import __version__

if TYPE_CHECKING:
    from sleuth.comparing import diff
    from sleuth.diagnosis.diagnose import diagnose
    from sleuth.errors import SleuthError
    from sleuth.finding import Finding, Severity, Where
    from sleuth.leaking import leak
    from sleuth.loss_surface import surface
    from sleuth.probing import probe
    from sleuth.report import Report, Verdict
    from sleuth.stuck_metric import stuck
    from sleuth.sweeping.function import sweep
    from sleuth.token_view import tokens
    from sleuth.watching.session import watch

__all__ = [
    "Finding",
    "Report",
    "Severity",
    "SleuthError",
    "Verdict",
    "Where",
    "__version__",
    "diagnose",
    "diff",
    "leak",
    "probe",
    "stuck",
    "surface",
    "sweep",
    "tokens",
    "watch",
]

# Public name → the module it lives in. Loaded on first use: `import sleuth` costs next to nothing.
_HOMES = {
    "Finding": "sleuth.finding",
    "Report": "sleuth.finding",
    "Severity": "sleuth.finding",
    "SleuthError": "sleuth.errors",
    "Verdict": "sleuth.finding",
    "Where": "sleuth.finding",
    "diagnose": "sleuth.diagnosis.diagnose",
    "diff": "sleuth.comparing",
    "leak": "sleuth.leaking",
    "probe": "sleuth.probing",
    "stuck": "sleuth.stuck_metric",
    "surface": "sleuth.loss_surface",
    "sweep": "sleuth.sweeping.function",
    "tokens": "sleuth.token_view",
    "watch": "sleuth.watching.session",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sleuth' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
