"""No weight decay, no dropout, no label smoothing: does one of them prevent fitting?"""

from typing import TYPE_CHECKING, Any

from sleuth.experiments import Experiment

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import LossCall, World
    from sleuth.record.entries import Record


EXPERIMENT = Experiment(
    "no-regularisation",
    "Is it clearly better without regularisation?",
    "without regularisation it is clearly better",
    "without regularisation it is no better",
    "rarely",
    "regularisation",
    place=8,
    helps=True,
    when_calm=3,
    judged_by="held-out",
)


def change(world: "World") -> None:
    from torch.nn import functional

    world.groups(lambda group: {"weight_decay": 0} if group.get("weight_decay") else {})
    hold = world.holder()

    def identity(original: Any) -> Any:
        def dropout(given: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
            if training and p > 0:
                hold()
                return given
            return original(given, p, training, inplace)

        return dropout

    for name in "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split():
        world.replace(functional, name, identity)

    def sharpen(call: "LossCall") -> None:
        if call.keywords.get("label_smoothing"):
            world.hold()
            call.keywords["label_smoothing"] = 0.0

    world.losses(sharpen, "cross_entropy")


def worth_trying(base: "Record") -> bool:
    from sleuth.record.entries import Model, Optimizer

    decay = any(made.settings.get("weight_decay") for made in base.of(Optimizer))
    dropout = any("Dropout" in layer.type for model in base.of(Model) for layer in model.layers)
    return decay or dropout
