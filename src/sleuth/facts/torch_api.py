"""What Sleuth knows of PyTorch's vocabulary: which names are modules, losses, optimizers, schedulers ..."""

from sleuth.facts.values import Call, Collection, Instance, Table, Value

MODULE_BASES = (
    "torch.nn.Module",
    "torch.nn.Sequential",
    "torch.nn.ModuleList",
    "lightning.LightningModule",
    "pytorch_lightning.LightningModule",
    "lightning.pytorch.LightningModule",
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
