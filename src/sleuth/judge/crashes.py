"""What the usual crash messages mean, and which cause they point at (`RAISES` in its file)."""

import re
from dataclasses import dataclass
from functools import cache

from sleuth import catalog
from sleuth.judge.relations import says


@dataclass(frozen=True)
class Meaning:
    """A sentence for people; `cause` where the message points at one of the catalog."""

    sentence: str
    cause: str = ""


_KNOWN: tuple[tuple[str, Meaning], ...] = (
    (r"expected scalar type \w+ but found|Found dtype \w+ but expected|must have the same dtype",
     Meaning("Two tensors have different types: class labels must be int64 for cross-entropy, inputs and "
             "weights the same float type.")),
    (r"shapes cannot be multiplied|size mismatch|must match|Given groups=|shape '.*' is invalid",
     Meaning("Shapes do not fit together at this line; print the shapes of both operands just before it.")),
    (r"not compiled with CUDA|no NVIDIA driver|CUDA (error|driver|is not available)|torch\.cuda|HIP",
     Meaning("The script requires a GPU and there is none here. Let it choose: device = 'cuda' if "
             "torch.cuda.is_available() else 'cpu'.")),
    (r"EOF when reading a line",
     Meaning("The script asks for input on the terminal; give it as an argument instead.")),
    (r"Name or service not known|name resolution|Max retries exceeded|URLError|Connection(Error| refused)",
     Meaning("The script needs the network and could not reach it; download what it needs once and read it "
             "from disk.")),
    (r"out of memory|MemoryError|Unable to allocate|not enough memory",
     Meaning("This machine has too little memory for it; try a smaller batch.")),
    (r"the following arguments are required|unrecognized arguments|invalid choice",
     Meaning("The script needs other command-line arguments; give them after its name.")),
    (r"numpy\(\) on Tensor that requires grad",
     Meaning("A tensor with a graph is converted to NumPy: call detach() if it is only reported, but not "
             "if the loss needs it.")),
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
    for pattern, known in (*_of_causes(), *_KNOWN):
        if re.search(pattern, message, re.IGNORECASE):
            return known
    return _BY_TYPE.get(exception, Meaning(""))


@cache
def _of_causes() -> tuple[tuple[str, Meaning], ...]:
    return tuple(
        (pattern, Meaning(sentence, slug))
        for slug in catalog.causes()
        for pattern, sentence in says(slug, "RAISES", {}).items()
    )
