"""The shapes that the layers of torch.nn give."""

from typing import TYPE_CHECKING

from sleuth.quick_dataclass import replace
from sleuth.source.flow import literal
from sleuth.source.interpreter.values import Call
from sleuth.source.topics.shapes.shape import BATCH, Shape

if TYPE_CHECKING:
    from sleuth.source.topics.shapes.algebra import Shapes

_SAME_MODULES = frozenset(
    "ReLU LeakyReLU PReLU ELU SELU GELU SiLU Mish Tanh Sigmoid Softplus Softsign Hardtanh ReLU6 Hardswish "
    "Softmax LogSoftmax LogSigmoid Dropout Dropout1d Dropout2d Dropout3d AlphaDropout BatchNorm1d "
    "BatchNorm2d BatchNorm3d LayerNorm GroupNorm InstanceNorm1d InstanceNorm2d Identity RMSNorm "
    "TransformerEncoder TransformerEncoderLayer".split()
)
_CONVOLUTIONS = {f"torch.nn.{kind}{n}d": n + 2 for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)}
_POOLS = {
    f"torch.nn.{kind}{n}d": n + 2
    for kind in ("MaxPool", "AvgPool", "AdaptiveAvgPool", "AdaptiveMaxPool")
    for n in (1, 2, 3)
}


def shape_of_layer(algebra: "Shapes", name: str, call: Call) -> Shape | None:
    made = call.receiver
    given = algebra.of(call.args[0]) if call.args else None
    if not isinstance(made, Call):
        return None
    if name in ("torch.nn.Linear", "torch.nn.LazyLinear"):
        width = algebra.size(made.argument(0 if "Lazy" in name else 1, "out_features"))
        before = given.sizes[:-1] if given is not None and given.rank else (BATCH,)
        return Shape((*before, width), given is not None and given.rank > 0 and given.sure)
    if name in _CONVOLUTIONS or name in _POOLS:
        rank = _CONVOLUTIONS.get(name) or _POOLS[name]
        batch = given.sizes[0] if given is not None and given.rank == rank else BATCH
        channels = algebra.size(made.argument(1, "out_channels")) if name in _CONVOLUTIONS else None
        ends = _pooled_to_one(name, made)
        return Shape(
            (batch, channels, *((1,) * (rank - 2) if ends else (None,) * (rank - 2))), given is not None
        )
    if name == "torch.nn.Flatten":
        return Shape((given.sizes[0] if given is not None and given.rank else BATCH, None), given is not None)
    if name == "torch.nn.Embedding":
        return (
            replace(given, sizes=(*given.sizes, algebra.size(made.argument(1, "embedding_dim"))))
            if given
            else None
        )
    if name.removeprefix("torch.nn.") in _SAME_MODULES:
        return given
    return None


def _pooled_to_one(name: str, made: Call) -> bool:
    return "Adaptive" in name and literal(made.argument(0, "output_size")) == 1
