"""Where advice comes from and how far to trust it: argument maps, their quotes, their credence."""

from sleuth.evidence.check import Check, check
from sleuth.evidence.credence import Belief, Weighed, weigh
from sleuth.evidence.model import Map, Problem
from sleuth.evidence.reader import read_file, read_map

__all__ = ["Belief", "Check", "Map", "Problem", "Weighed", "check", "read_file", "read_map", "weigh"]
