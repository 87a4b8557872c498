"""Steps follow the present gradient alone: does momentum carry it too far?"""

from typing import TYPE_CHECKING, Any

from sleuth.experiments import Experiment

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record


EXPERIMENT = Experiment(
    "no-momentum",
    "Is it clearly better without momentum?",
    "without momentum it is clearly better",
    "without momentum it is no better",
    "rarely",
    "rate down",
    place=9,
    helps=True,
)


def change(world: "World") -> None:

    def still(group: dict[str, Any]) -> dict[str, Any]:
        if group.get("momentum"):
            return {"momentum": 0, "nesterov": False} if "nesterov" in group else {"momentum": 0}
        betas = group.get("betas")
        return {"betas": (0.0, betas[1])} if betas and betas[0] else {}

    world.groups(still)


def worth_trying(base: "Record") -> bool:
    from sleuth.record.entries import Optimizer

    made = base.of(Optimizer)
    return any(one.settings.get("momentum") or one.settings.get("betas") for one in made)
