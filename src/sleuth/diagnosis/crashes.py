"""What the usual crash messages mean, and which cause they point at."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Meaning:
    """A sentence for people; `cause` where the message points at one of the catalog."""

    sentence: str
    cause: str = ""


_KNOWN: tuple[tuple[str, Meaning], ...] = (
    (r"element 0 of tensors does not require grad",
     Meaning("The loss has no gradient path to any parameter: it was computed under no_grad, detached, or "
             "turned into a number and back.", "loss-disconnected")),
    (r"backward through the graph a second time",
     Meaning("The graph of an earlier iteration is still attached: a hidden state or a running loss was "
             "carried over without detach().", "hidden-state-not-detached")),
    (r"modified by an inplace operation",
     Meaning("A value that backward needs was overwritten in place.", "inplace-corruption")),
    (r"Target \S+ is out of bounds|index out of range in self|Assertion .*t >= 0 && t < n_classes",
     Meaning("A label (or token) is outside the range the loss (or embedding) was made for.",
             "labels-out-of-range")),
    (r"elements of input should be between 0 and 1",
     Meaning("BCELoss was given raw logits; it wants probabilities. Use BCEWithLogitsLoss.",
             "logits-into-prob-loss")),
    (r"expected scalar type \w+ but found|Found dtype \w+ but expected|must have the same dtype",
     Meaning("Two tensors have different types: class labels must be int64 for cross-entropy, inputs and "
             "weights the same float type.")),
    (r"Expected more than 1 value per channel when training",
     Meaning("Batch norm got a batch of one example in train mode; use drop_last=True or another norm.",
             "norm-batch-of-one")),
    (r"optimizer got an empty parameter list",
     Meaning("The model has no registered parameters: layers in a plain list or dict are invisible to it.",
             "unregistered-modules")),
    (r"shapes cannot be multiplied|size mismatch|must match|Given groups=|shape '.*' is invalid",
     Meaning("Shapes do not fit together at this line; print the shapes of both operands just before it.")),
    (r"not compiled with CUDA|no NVIDIA driver|CUDA (error|driver|is not available)|torch\.cuda|HIP",
     Meaning("The script insists on a GPU and there is none here. Let it choose: device = 'cuda' if "
             "torch.cuda.is_available() else 'cpu'.")),
    (r"EOF when reading a line",
     Meaning("The script asks for input on the terminal; give it as an argument instead.")),
    (r"Name or service not known|name resolution|Max retries exceeded|URLError|Connection(Error| refused)",
     Meaning("The script needs the network and could not reach it; download what it needs once and read it "
             "from disk.")),
    (r"out of memory|MemoryError|Unable to allocate|not enough memory",
     Meaning("The memory of this machine is not enough for it; try a smaller batch.")),
    (r"the following arguments are required|unrecognized arguments|invalid choice",
     Meaning("The script wants other command-line arguments; give them after its name.")),
    (r"numpy\(\) on Tensor that requires grad",
     Meaning("A tensor with a graph is turned into numpy; detach() it where it is only reported, and do not "
             "where the loss needs it.")),
)  # fmt: skip

_BY_TYPE = {
    "ModuleNotFoundError": Meaning("A package the script imports is not installed in this environment."),
    "FileNotFoundError": Meaning(
        "The script opens a file that is not there; run it from the folder it expects."
    ),
    "SyntaxError": Meaning("The file is not valid Python."),
    "IndentationError": Meaning("The file is not valid Python."),
    "SystemExit": Meaning("The script ended itself before it trained."),
}


def meaning(exception: str, message: str) -> Meaning:
    """What a crash usually means; an empty sentence where nobody knows."""
    for pattern, known in _KNOWN:
        if re.search(pattern, message, re.IGNORECASE):
            return known
    return _BY_TYPE.get(exception, Meaning(""))
