"""What Sleuth knows of PyTorch's vocabulary: which names are modules, losses, optimizers, schedulers ..."""

from sleuth.source.interpreter.values import Call, Collection, Instance, Table, Value

LIGHTNING = (
    "lightning.LightningModule",
    "pytorch_lightning.LightningModule",
    "lightning.pytorch.LightningModule",
    "lightning.pytorch.core.LightningModule",
    "pytorch_lightning.core.LightningModule",
    "pytorch_lightning.core.lightning.LightningModule",
)

MODULE_BASES = (
    "torch.nn.Module",
    "torch.nn.Sequential",
    "torch.nn.ModuleList",
    *LIGHTNING,
    "transformers.PreTrainedModel",
    "torch.nn.ModuleDict",
)

# Calls that hand back the module they were given.
WRAPPERS = {
    "torch.compile",
    "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
    "torch.jit.script",
    "torch.nn.utils.weight_norm",
    "torch.nn.utils.spectral_norm",
    "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.parametrizations.spectral_norm",
}

RETURNS_SELF = {
    "to",
    "cuda",
    "cpu",
    "float",
    "double",
    "half",
    "bfloat16",
    "train",
    "eval",
    "requires_grad_",
    "apply",
    "share_memory",
    "type",
    "to_empty",
    "xpu",
}


def is_module(value: Value | None) -> bool:
    """An object that is an nn.Module, as far as can be known."""
    if isinstance(value, Instance):
        return value.cls.derives_from(*MODULE_BASES)
    if isinstance(value, Call) and value.receiver is None and value.op.startswith("torch.nn."):
        name = value.op[len("torch.nn.") :]
        return name[:1].isupper() and "." not in name and name not in ("Parameter", "Buffer")
    return False


def hands_back_itself(method: str, owner: Value) -> bool:
    """Whether `owner.method(...)` is `owner`: a module's `to`, `cuda`, `train` ... a library's included."""
    if is_module(owner):
        return method in RETURNS_SELF
    if method in ("train", "eval"):
        return True
    return method in RETURNS_SELF and isinstance(owner, Call) and owner.op.startswith(MODEL_FACTORIES)


# Calls below these names make whole models.
MODEL_FACTORIES = (
    "torchvision.models.",
    "timm.create_model",
    "transformers.Auto",
    "segmentation_models_pytorch.",
    "torch.hub.load",
)


def held_layers(value: Value) -> Collection | Table | None:
    """The modules inside nn.ModuleList, nn.ModuleDict or nn.Sequential, as the list or dict they are."""
    if not isinstance(value, Call) or value.receiver is not None:
        return None
    first = value.args[0] if value.args else None
    if value.op == "torch.nn.ModuleList" and isinstance(first, Collection):
        return first
    if value.op == "torch.nn.ModuleDict" and isinstance(first, Table):
        return first
    if value.op == "torch.nn.Sequential":
        is_open = any(isinstance(part, Collection) and part.kind == "rest" for part in value.args)
        return Collection(value.node, value.source, layers_of(value), "list", is_open)
    return None


def layers_of(sequential: Call) -> list[Value]:
    """The layers given to nn.Sequential, as arguments or in an OrderedDict; a repeated part is seen once."""
    args = list(sequential.args)
    if any(isinstance(part, Collection) and part.kind == "rest" for part in args):
        return args[:-1]
    if len(args) == 1 and isinstance(args[0], Call) and args[0].op.endswith("OrderedDict"):
        return _named_layers(args[0])
    if len(args) == 1 and isinstance(args[0], Table):
        return list(args[0].items.values())
    return args


def _named_layers(table: Call) -> list[Value]:
    if not table.args or not isinstance(table.args[0], Collection):
        return []
    pairs = table.args[0].items
    return [pair.items[1] for pair in pairs if isinstance(pair, Collection) and len(pair.items) == 2]
