"""Tokenizers in the script's process: those of libraries it imported, and tables made by hand.

Nothing of the script is run to read them but a library's own look-ups: a table is read as the data it is.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from sleuth.record.token_entries import Vocabulary
from sleuth.watching.identity import Memory
from sleuth.watching.importing import when_imported
from sleuth.watching.place import NOWHERE
from sleuth.watching.state import State

MOST_WORDS = 600_000  # of a table made by hand; one with more is no vocabulary
FEWEST_WORDS = 4
MOST_VALUES = 4_000  # names looked through in the user's frames
UNBOUNDED = 10**9  # transformers writes a limit that does not exist as a number beyond this
# What hand-made tables call the tokens that carry no text. Nothing else in such a table tells their role.
ROLES: Mapping[str, tuple[str, ...]] = {
    "pad": ("<pad>", "[PAD]", "<PAD>", "<|pad|>", "PAD"),
    "eos": ("<eos>", "</s>", "[EOS]", "<EOS>", "<|endoftext|>", "<end>", "<|end|>", "EOS"),
    "bos": ("<bos>", "<s>", "[BOS]", "<BOS>", "<start>", "<sos>", "<SOS>", "<|startoftext|>", "BOS"),
    "unk": ("<unk>", "[UNK]", "<UNK>", "<|unk|>", "UNK"),
    "sep": ("<sep>", "[SEP]", "<SEP>"),
    "cls": ("<cls>", "[CLS]", "<CLS>"),
    "mask": ("<mask>", "[MASK]", "<MASK>"),
}


@dataclass(eq=False)
class Known:
    """A tokenizer that was found: how it reads an id, and what is said of it."""

    told: Vocabulary
    words: Mapping[int, str] | None = None  # of a table
    library: Any = None  # a weak reference's stand-in: the tokenizer of a library
    kind: str = ""

    def text(self, number: int) -> str | None:
        if self.words is not None:
            return self.words.get(number)
        return _READ[self.kind](self.library, number) if self.library is not None else None


@dataclass(eq=False)
class Found:
    """The tokenizers seen so far, the newest last."""

    made: Memory = field(default_factory=Memory)  # a library's tokenizer → where it was made
    known: list[Known] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)  # id() of what was described


def attach(state: State, patches: Any) -> None:
    def watch(module: Any) -> None:
        patches.replace(module.PreTrainedTokenizerBase, "__init__", lambda original: _noting(original))

    def _noting(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            original(self, *args, **kwargs)
            if not state.off and self not in state.tokens.found.made:
                state.tokens.found.made[self] = state.places.here()

        return __init__

    when_imported(patches, "transformers.tokenization_utils_base", watch)


def best(state: State, found: Found, largest_id: int, rows: int) -> Known | None:
    """The tokenizer that a model's ids come from: one that knows them all, nearest to its embedding, and of
    equals the newest."""
    _look_for(state, found, largest_id)
    # A table made by hand that is larger than the embedding is a list of other words, or of texts.
    fitting = [
        one
        for one in found.known
        if one.told.size > largest_id and (one.library is not None or one.told.size <= rows)
    ]
    return min(reversed(fitting), key=lambda one: abs(one.told.size - rows), default=None)


def described(tokenizer: Any, largest_id: int) -> Known | None:
    """One that is handed over; None where it is none that can be read."""
    if kind := _kind(tokenizer):
        return Known(_DESCRIBED[kind](1, tokenizer, NOWHERE), library=tokenizer, kind=kind)
    tables = (_table(one, largest_id) for one in (tokenizer, *_held(tokenizer)))
    words = next((one for one in tables if one is not None), None)
    return Known(_of_table(1, words), words) if words is not None else None


def _look_for(state: State, found: Found, largest_id: int) -> None:
    for tokenizer in [*found.made]:
        if id(tokenizer) not in found.seen:
            _take(state, found, tokenizer, "transformers", found.made[tokenizer])
    if any(one.told.size > largest_id for one in found.known):
        return
    for value in _in_sight(state):
        kind = _kind(value)
        if kind and id(value) not in found.seen:
            _take(state, found, value, kind, NOWHERE)
        elif not kind and (words := _table(value, largest_id)) is not None and id(value) not in found.seen:
            found.seen.add(id(value))
            found.known.append(Known(_of_table(state.new_id("vocabulary"), words), words))


def _take(state: State, found: Found, tokenizer: Any, kind: str, made: tuple[str, int]) -> None:
    found.seen.add(id(tokenizer))
    number = state.new_id("vocabulary")
    try:
        told = _DESCRIBED[kind](number, tokenizer, made)
    except Exception:  # one of the user's own kind that lacks what others have
        return
    found.known.append(Known(told, library=tokenizer, kind=kind))


def _kind(value: Any) -> str:
    """Which library it comes from, of those that the script has imported."""
    for kind, (module, name) in _CLASSES.items():
        home = sys.modules.get(module)
        if home is not None and isinstance(value, getattr(home, name, ())):
            return kind
    return ""


_CLASSES = {
    "transformers": ("transformers.tokenization_utils_base", "PreTrainedTokenizerBase"),
    "tokenizers": ("tokenizers", "Tokenizer"),
    "tiktoken": ("tiktoken", "Encoding"),
}


def _in_sight(state: State) -> Iterator[Any]:
    """What the user's frames name, and what these objects hold."""
    count, shown = 0, set[int]()
    for space in _spaces(state, sys._getframe(1)):
        for value in [*space.values()]:
            for item in (value, *_held(value)):
                if id(item) not in shown:
                    shown.add(id(item))
                    count += 1
                    yield item
            if count > MOST_VALUES:
                return


def _spaces(state: State, frame: FrameType | None) -> Iterator[Mapping[str, Any]]:
    frames = state.places.user_frames(frame)
    yield from (one.f_locals for one in frames)
    main = sys.modules.get("__main__")
    modules = {id(space): space for one in frames for space in (one.f_globals,)}
    if main is not None:
        modules.setdefault(id(vars(main)), vars(main))
    yield from modules.values()


def _held(value: Any) -> list[Any]:
    """The attributes of the user's own objects; of modules of Python and classes none."""
    if isinstance(value, (type, dict, list, str)) or type(value).__module__ in ("builtins", "torch"):
        return []
    try:
        return [*vars(value).values()][:50]
    except TypeError:
        return []


def _table(value: Any, largest_id: int) -> dict[int, str] | None:
    """A vocabulary as it is made by hand: word → id, id → word, or a list of words."""
    if type(value) in (list, tuple) and FEWEST_WORDS <= len(value) <= MOST_WORDS:
        pairs = [*enumerate(value)]
    elif type(value) is dict and FEWEST_WORDS <= len(value) <= MOST_WORDS:
        key = next(iter(value))
        pairs = [(b, a) for a, b in value.items()] if type(key) in (str, bytes) else [*value.items()]
    else:
        return None
    if len(pairs) <= largest_id or not all(type(a) is int and type(b) in (str, bytes) for a, b in pairs):
        return None
    words = {a: b if isinstance(b, str) else b.decode(errors="replace") for a, b in pairs}
    # A table numbers its words from 0 on without holes, or nearly so, and each once; others count something.
    whole = len({*words.values()}) == len(words) == len(pairs)
    return words if whole and max(words) < 1.1 * len(words) + 2 else None


def _of_table(number: int, words: Mapping[int, str]) -> Vocabulary:
    ids = {word: at for at, word in words.items()}
    specials = {role: ids[word] for role, known in ROLES.items() for word in known if word in ids}
    return Vocabulary(
        number, "dict", max(words) + 1, specials=specials, special_ids=tuple(sorted({*specials.values()}))
    )


def _of_transformers(number: int, tokenizer: Any, made: tuple[str, int]) -> Vocabulary:
    named = {name: str(token) for name, token in tokenizer.special_tokens_map.items() if "token" in name}
    roles = {name.removesuffix("_token"): _id(tokenizer, token) for name, token in named.items()}
    longest = int(getattr(tokenizer, "model_max_length", 0) or 0)
    return Vocabulary(
        number,
        type(tokenizer).__name__,
        len(tokenizer),
        made[1],
        made[0],
        {role: at for role, at in roles.items() if at is not None},
        tuple(sorted({int(at) for at in tokenizer.all_special_ids if at is not None})),
        longest if 0 < longest < UNBOUNDED else None,
        str(getattr(tokenizer, "padding_side", "")),
        str(getattr(tokenizer, "truncation_side", "")),
        bool(getattr(tokenizer, "chat_template", None)),
    )


def _id(tokenizer: Any, token: str) -> int | None:
    at = tokenizer.convert_tokens_to_ids(token)
    return at if isinstance(at, int) else None


def _of_tokenizers(number: int, tokenizer: Any, made: tuple[str, int]) -> Vocabulary:
    added = tokenizer.get_added_tokens_decoder()
    special = {str(token.content): at for at, token in added.items() if token.special}
    roles = {role: special[word] for role, known in ROLES.items() for word in known if word in special}
    padding, cut = tokenizer.padding or {}, tokenizer.truncation or {}
    return Vocabulary(
        number,
        "Tokenizer",
        tokenizer.get_vocab_size(),
        specials=roles,
        special_ids=tuple(sorted(special.values())),
        longest=cut.get("max_length"),
        padding_side=str(padding.get("direction", "")),
        truncation_side=str(cut.get("direction", "")),
    )


def _of_tiktoken(number: int, tokenizer: Any, made: tuple[str, int]) -> Vocabulary:
    special = {word: tokenizer.encode_single_token(word) for word in tokenizer.special_tokens_set}
    roles = {"eos": tokenizer.eot_token} if "<|endoftext|>" in special else {}
    return Vocabulary(
        number, "Encoding", tokenizer.n_vocab, specials=roles, special_ids=tuple(sorted(special.values()))
    )


def _read_transformers(tokenizer: Any, number: int) -> str | None:
    text = tokenizer.decode([number], skip_special_tokens=False, clean_up_tokenization_spaces=False)
    if not text or "\N{REPLACEMENT CHARACTER}" in text:  # a part of a letter, or a blank that is kept back
        return _plain(tokenizer.convert_ids_to_tokens(number))
    whole = tokenizer.convert_ids_to_tokens(number)
    begins = isinstance(whole, str) and whole[:1] in ("▁", "Ġ") and not text[:1].isspace()
    return f" {text}" if begins else str(text)


def _plain(token: Any) -> str | None:
    return str(token) if token is not None else None


def _read_tokenizers(tokenizer: Any, number: int) -> str | None:
    text = tokenizer.decode([number], skip_special_tokens=False)
    whole = text and "\N{REPLACEMENT CHARACTER}" not in text
    return _plain(text if whole else tokenizer.id_to_token(number))


def _read_tiktoken(tokenizer: Any, number: int) -> str | None:
    return str(tokenizer.decode_single_token_bytes(number).decode(errors="replace"))


_DESCRIBED = {"transformers": _of_transformers, "tokenizers": _of_tokenizers, "tiktoken": _of_tiktoken}
_READ = {"transformers": _read_transformers, "tokenizers": _read_tokenizers, "tiktoken": _read_tiktoken}
