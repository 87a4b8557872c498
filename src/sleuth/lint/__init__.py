"""`sleuth lint`: read source files and say what is certainly or probably wrong with the training in them."""

from sleuth.lint.check import lint_source
from sleuth.lint.files import python_files
from sleuth.lint.run import LintResult, lint
from sleuth.lint.selection import Selection, lintable

LINT_SCHEMA = "sleuth.lint/1"

__all__ = ["LINT_SCHEMA", "LintResult", "Selection", "lint", "lint_source", "lintable", "python_files"]
