"""The shape of a loss: `surface` lays it on a map, `Surface` says what the map shows.

The package is not called `surface`, so that `sleuth.surface` is always the function, whatever was imported
first.
"""

from sleuth.landscape.compare import Comparison
from sleuth.landscape.examples import Pole, poles
from sleuth.landscape.flaw import KINDS, Flaw, Spot
from sleuth.landscape.survey import Surface, surface

__all__ = ["KINDS", "Comparison", "Flaw", "Pole", "Spot", "Surface", "poles", "surface"]
