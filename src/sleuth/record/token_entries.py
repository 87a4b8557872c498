"""What a record says of language models: what they are fed, what they are trained on, what they write."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Line = int  # a line of the user's code; 0 where none was found
Setting = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A tokenizer of the process, or a table of words or letters that stands for one."""

    id: int
    type: str = ""  # its class, or "dict"
    size: int = 0  # ids it can give out
    line: Line = 0  # where it was made
    path: str = ""
    specials: Mapping[str, int] = field(default_factory=dict)  # "eos" → id; those that have a role
    special_ids: tuple[int, ...] = ()  # all that carry no text
    longest: int | None = None  # its own limit of length
    padding_side: str = ""
    truncation_side: str = ""
    template: bool = False  # it has one for conversations


@dataclass(frozen=True, slots=True)
class TokenTexts:
    """How the ids that a record shows read as text; left out where the user wants no text kept."""

    vocabulary: int
    texts: Mapping[str, str] = field(default_factory=dict)  # id → text


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model that is fed tokens: written before its first batch."""

    model: int
    type: str = ""
    embedding_rows: int = 0
    head_rows: int | None = None  # of the layer that gives scores of tokens, where it is known
    tied: bool = False  # both share their weights
    embedding_trains: bool = True
    causal: bool | None = None  # as its own configuration says; None: it says nothing
    checkpointing: bool = False  # activations are computed again in the backward pass
    settings: Mapping[str, Setting] = field(default_factory=dict)  # of its configuration


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One example as the model was fed it. A long one is kept without its middle."""

    row: int = 0
    length: int = 0  # tokens, padding included
    left: int = 0  # places of filling, by side
    right: int = 0
    head: int = 0  # tokens kept before the gap; all where nothing is left out
    ids: tuple[int, ...] = ()
    attended: tuple[int, ...] = ()  # 1 or 0; () where no mask was given
    labels: tuple[int, ...] = ()  # as handed to the model; () where none were
    positions: tuple[int, ...] = ()
    targets: tuple[int | None, ...] = ()  # what the prediction at this place was compared with, if it was
    weights: tuple[float, ...] = ()  # of that in the loss, the largest is 1; below 0: pushed away


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """A batch of tokens at a model's door: the first of each phase, then now and then."""

    n: int
    model: int = 0
    phase: str = "train"  # or "eval", "generate"
    line: Line = 0
    path: str = ""
    shape: tuple[int, ...] = ()
    given: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # other tensors → their shapes
    logits: tuple[int, ...] = ()
    examples: tuple[TokenRow, ...] = ()
    vocabulary: int | None = None
    largest_id: int = 0
    masked: bool = False  # a mask of attention was given
    attended: int | None = None
    seen_by: str = ""  # what told the targets: "gradient", "loss" or "labels"
    trained: int | None = None  # places in the loss; None where it was not seen
    pushed_away: int = 0  # of these, with a weight below 0
    rows_untrained: int = 0  # rows without a place in the loss
    full_untrained: int = 0  # and of these, rows without filling
    offset: int | None = None  # how many tokens ahead the targets stand among the inputs, where they do
    agreement: float = 0.0  # of targets, the share for which that is so
    copies: float = 0.0  # and the share that equals the very token it is predicted from
    targets_from: tuple[float, float] | None = None  # the shares of rows where they begin and end (medians)
    pad: int | None = None  # the id that fills rows up
    pad_left: int = 0  # places so filled, by side
    pad_right: int = 0
    pad_attended: int = 0
    pad_trained: int = 0  # places in the loss whose target is filling
    real_unattended: int = 0
    specials: Mapping[str, int] = field(default_factory=dict)  # id of a special token → places
    specials_trained: Mapping[str, int] = field(default_factory=dict)  # and as a target
    doubled: Mapping[str, int] = field(default_factory=dict)  # and rows where two stand side by side
    unknown: int = 0
    first_ids: Mapping[str, int] = field(default_factory=dict)  # what rows begin with, filling aside → rows
    last_ids: Mapping[str, int] = field(default_factory=dict)  # and end with
    last_trained: int = 0  # rows whose last token is a target
    starts_twice: int = 0  # rows that begin with one special token, twice
    ends_twice: int = 0
    ended: int = 0  # rows whose last token is the end token
    cut: int = 0  # rows without filling that end with another
    full: int = 0  # rows without filling, as long as the longest one seen
    segments: int = 0  # rows that hold several examples, as their positions tell
    ends_inside: int = 0  # rows with an end token before their last
    restarts: int = 0  # rows that begin again behind such a token, as they began
    training: bool = False  # the mode of the model


@dataclass(frozen=True, slots=True)
class Generation:
    """Text written by a model: one `generate` call, or a loop that appends to its own input."""

    n: int
    model: int = 0
    line: Line = 0
    path: str = ""
    by: str = "generate"  # or "loop"
    settings: Mapping[str, Setting] = field(default_factory=dict)  # given in the call or set for the model
    prompts: tuple[TokenRow, ...] = ()
    outputs: tuple[tuple[int, ...], ...] = ()  # new tokens of the first rows
    rows: int = 0
    prompt_length: int = 0
    new_tokens: int = 0  # of the longest
    ended: int = 0  # rows that ended with an end token
    training: bool = False
    pad_left: int = 0
    pad_right: int = 0


@dataclass(frozen=True, slots=True)
class Resized:
    """A model's table of tokens was given other rows: words were added to its tokenizer."""

    before: int = 0
    after: int = 0
    line: Line = 0
    path: str = ""
    n: int = 0


@dataclass(frozen=True, slots=True)
class Adapters:
    """The adapters within a model, whenever what is said of them has changed."""

    model: int
    n: int = 0
    phase: str = "train"
    names: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    disabled: bool = False
    modules: int = 0  # layers that hold one
    scaling: tuple[float, ...] = ()  # different ones
    trainable: int = 0  # tensors of adapters that ask for gradients
    tensors: int = 0
    both_zero: int = 0  # layers both of whose factors are zero
    base_trainable: int = 0  # other tensors that ask for gradients


@dataclass(frozen=True, slots=True)
class TrainedTokens:
    """Which ids a model was ever trained to write, of the batches looked at: written at the end."""

    model: int
    batches: int = 0
    targets: int = 0
    distinct: int = 0
    specials: Mapping[str, int] = field(default_factory=dict)  # id of a special token → times
    ranges: tuple[tuple[int, int], ...] = ()  # of trained ids, first and last; bounded


TOKEN_KINDS: Mapping[str, type[Any]] = {
    "vocabulary": Vocabulary,
    "token_texts": TokenTexts,
    "language_model": LanguageModel,
    "tokens": TokenBatch,
    "generation": Generation,
    "resized": Resized,
    "adapters": Adapters,
    "trained_tokens": TrainedTokens,
}
