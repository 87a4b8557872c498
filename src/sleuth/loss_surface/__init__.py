"""The shape of a loss: `surface` lays it on a map, `Surface` says what the map shows.

The package is not called `surface`, so that `sleuth.surface` is always the function, whatever was imported
first.
"""

from sleuth.loss_surface.compare import Comparison
from sleuth.loss_surface.examples import Pole, poles
from sleuth.loss_surface.flaw import KINDS, Flaw, Spot
from sleuth.loss_surface.survey import Surface, surface

__all__ = ["KINDS", "Comparison", "Flaw", "Pole", "Spot", "Surface", "poles", "surface"]
