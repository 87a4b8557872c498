"""A tenth of the learning rate: is it too high?"""

from typing import TYPE_CHECKING

from sleuth.experiments import Experiment
from sleuth.record.outcome import told_by_its_rate

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record


EXPERIMENT = Experiment(
    "lr×0.1",
    "Is it clearly better at a tenth of the learning rate?",
    "a tenth of the learning rate is clearly better",
    "a tenth of the learning rate is no better",
    "never",
    "rate down",
    place=5,
    helps=True,
    when_calm=5,
    rate=0.1,
)


def change(world: "World") -> None:
    world.rates(EXPERIMENT.rate)


def worth_trying(base: "Record") -> bool:
    return told_by_its_rate(base)
