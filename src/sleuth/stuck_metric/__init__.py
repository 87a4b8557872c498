"""Why a metric will not move: the loss does not care, the parameters cannot, or something fights it.

Each measurement is a function of its own (`care`, `reach`, `span`, `rivals`, `inertia`, `counterfactual`),
for detectors that need one number; `stuck` asks them all. The package is not called `stuck`, so that
`sleuth.stuck` is always the function, whatever was imported first.
"""

from sleuth.stuck_metric.asking import Standstill, stuck
from sleuth.stuck_metric.case import Case, read_case
from sleuth.stuck_metric.forces import Inertia, Rivals, inertia, rivals
from sleuth.stuck_metric.jacobian import Reach, reach, span
from sleuth.stuck_metric.slope import Care, care, loss_slope
from sleuth.stuck_metric.without import Counterfactual, counterfactual

__all__ = [
    "Care",
    "Case",
    "Counterfactual",
    "Inertia",
    "Reach",
    "Rivals",
    "Standstill",
    "care",
    "counterfactual",
    "inertia",
    "loss_slope",
    "reach",
    "read_case",
    "rivals",
    "span",
    "stuck",
]
