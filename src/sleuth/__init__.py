"""Sleuth finds out why a machine-learning model does not learn."""

from sleuth.errors import SleuthError
from sleuth.finding import Finding, Report, Severity, Verdict, Where

__version__ = "0.1.0"

__all__ = ["Finding", "Report", "Severity", "SleuthError", "Verdict", "Where"]
