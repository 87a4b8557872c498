"""The run archive: what was run, in which code and surroundings, and every number it left behind.

One folder a run under `.sleuth/runs` holds everything; `.sleuth/index.sqlite` is made from the folders, for
speed, and may be deleted. Nothing here needs more than the standard library.
"""

from sleuth.archive.home import home_folder
from sleuth.archive.listing import Row, find, listed, runs
from sleuth.archive.packing import Series
from sleuth.archive.run import Run, Status
from sleuth.archive.starting import begin

__all__ = ["Row", "Run", "Series", "Status", "begin", "find", "home_folder", "listed", "runs"]
