"""Ten times the learning rate: is it too low?"""

from typing import TYPE_CHECKING

from sleuth.experiments import Experiment
from sleuth.record.outcome import told_by_its_rate

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record


EXPERIMENT = Experiment(
    "lr×10",
    "Is it clearly better at ten times the learning rate?",
    "ten times the learning rate is clearly better",
    "ten times the learning rate is no better",
    "rarely",
    "rate up",
    place=4,
    helps=True,
    when_calm=4,
    rate=10.0,
)


def change(world: "World") -> None:
    world.rates(EXPERIMENT.rate)


def worth_trying(base: "Record") -> bool:
    return told_by_its_rate(base)
