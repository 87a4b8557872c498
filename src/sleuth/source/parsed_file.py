"""Source files: read, parsed once, and found by the names that other files import them under."""

import ast
import re
from collections import Counter
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sleuth.errors import SleuthError
from sleuth.files import read_regular
from sleuth.quick_dataclass import dataclass, field
from sleuth.source.word_search import words_of

if TYPE_CHECKING:
    from sleuth.source.interpreter.values import Scope

Syntax = TypeVar("Syntax", bound=ast.AST)

# With the pictures in its outputs, which are dropped while it is read; its code may be as long as any file's.
MAX_NOTEBOOK_BYTES = 20_000_000
MAX_BYTES = 2_000_000  # larger Python files are generated tables; parsing one costs seconds and tells nothing
FOLDERS_UP = 4  # how far above a file its imports are looked for: scripts are run from the project's root
ABSENT = ""  # the fingerprint of a file that is not there
KEPT_FILES = 200  # parsed files a project remembers: a package's own common parts, not the whole tree


class UnreadableSource(SleuthError):
    """A file that cannot be analysed; `line` is where the trouble starts, if there is such a place."""

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        self.path, self.reason, self.line = path, reason, line
        place = f"{path}:{line}" if line else path
        super().__init__(f"Cannot read {place}: {reason}")


@dataclass(eq=False)
class Source:
    """One parsed file.

    `repaired` says where, and why, it did not parse as it stands, and `gaps` which lines were left out to
    make the rest readable; `cells` are the first lines of a notebook's cells.
    """

    path: str
    text: str
    tree: ast.Module
    repaired: tuple[int, str] | None = None
    gaps: tuple[int, ...] = ()
    cells: tuple[int, ...] = ()
    lines: list[str] = field(default_factory=list)
    _held: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = lines_of(self.text)

    @cached_property
    def mentions(self) -> Counter[str]:
        """How often each word stands in the text, comments included."""
        return Counter(words_of(self.text))

    @cached_property
    def _vocabulary(self) -> str:
        return " ".join(self.mentions)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """The syntax of the file, walked once for all who ask."""
        return walked(self.tree)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """What each piece of syntax stands in."""
        return {child: node for node in self.nodes for child in _children(node)}

    @cached_property
    def _nodes_by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        return _by_kind(self.nodes)

    @cached_property
    def _statements_by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        return _by_kind(statements_in(self.tree))

    def of(self, kind: type[Syntax]) -> list[Syntax]:
        """The nodes of one kind, outer ones first. Statements are had without a look at expressions."""
        kinds = self._statements_by_kind if issubclass(kind, ast.stmt) else self._nodes_by_kind
        return kinds.get(kind, [])  # type: ignore[return-value]  # filed under their own type

    @cached_property
    def attributes_set(self) -> list[ast.Attribute]:
        """`x.y` wherever something is assigned to it."""
        statements = (node for kind in _TARGETS for node in self._statements_by_kind.get(kind, ()))
        return [
            part
            for statement in statements
            for target in _targets(statement)
            for part in walked(target)
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load)
        ]

    @cached_property
    def attribute_writes(self) -> Counter[str]:
        """How often each attribute is set, on whatever object."""
        return Counter(node.attr for node in self.attributes_set)

    def holds(self, piece: str) -> bool:
        """Whether a piece of code or of a word stands anywhere in the text."""
        if piece not in self._held:
            word = _longest_word(piece)
            # Every word once is a tenth of the text: what is not there need not be looked for in the whole.
            self._held[piece] = word in self._vocabulary and (word == piece or piece in self.text)
        return self._held[piece]

    def holds_one_of(self, pieces: tuple[str, ...]) -> bool:
        held = self._held
        # Asked for every rule and file: a plain loop over a dictionary takes half of the time of `any`.
        for piece in pieces:
            known = held.get(piece)
            if known or (known is None and self.holds(piece)):
                return True
        return False

    def characters(self, number: int, offset: int) -> int:
        """How many characters of a line stand before an offset: the parser counts bytes, people do not."""
        line = self.line(number)
        return offset if line.isascii() else len(line.encode()[:offset].decode(errors="ignore"))

    @cached_property
    def comments(self) -> dict[int, str]:
        """Line → the comment on it. (Text in a string that looks like one is none.)"""
        import io
        import tokenize

        found: dict[int, str] = {}
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
                if token.type == tokenize.COMMENT:
                    found[token.start[0]] = token.string
        except (tokenize.TokenError, SyntaxError):  # broken code: what looks like a comment has to do
            marks = ((number, line.find("#")) for number, line in enumerate(self.lines, 1))
            found = {number: self.lines[number - 1][at:] for number, at in marks if at >= 0} | found
        return found

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


def walked(tree: ast.AST) -> list[ast.AST]:
    """A piece of syntax in the order of `ast.walk`, in a fraction of the time; without `Load` and `Store`."""
    found = [tree]
    for node in found:  # grows on the way
        found += _children(node)
    return found


def called(call: ast.Call) -> str:
    """The last word of what is called: `step` of `self.decoder.step(...)`; nothing for a call of a call."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _children(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for name in _PARTS[type(node)]:
        part = getattr(node, name, None)
        if isinstance(part, list):
            found += [item for item in part if isinstance(item, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


def statements_in(holder: ast.Module | ast.ClassDef) -> list[ast.AST]:
    """Every statement, and the handlers and cases that hold some: a tenth of the nodes."""
    found: list[ast.AST] = [*holder.body]
    for node in found:  # grows on the way
        for name in _BLOCKS[type(node)]:
            found += getattr(node, name)
    return found


def _by_kind(nodes: list[ast.AST]) -> dict[type[ast.AST], list[ast.AST]]:
    kinds: dict[type[ast.AST], list[ast.AST]] = {}
    for node in nodes:
        kinds.setdefault(type(node), []).append(node)
    return kinds


# Where each kind of statement says what it assigns to.
_TARGETS: dict[type[ast.AST], str] = {
    ast.Assign: "targets",
    ast.AugAssign: "target",
    ast.AnnAssign: "target",
    ast.For: "target",
    ast.AsyncFor: "target",
    ast.Delete: "targets",
    ast.With: "items",
    ast.AsyncWith: "items",
}


def _targets(statement: ast.AST) -> list[ast.AST]:
    found = getattr(statement, _TARGETS[type(statement)])
    return found if isinstance(found, list) else [found]


class _PartsByKind(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind that can hold further nodes: none for names and constants, half of all."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        names = () if kind is ast.Constant else kind._fields
        self[kind] = tuple(name for name in names if name not in _PLAIN_FIELDS)
        return self[kind]


class _BlocksByKind(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind that hold statements."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = tuple(name for name in _BLOCK_FIELDS if name in kind._fields)
        return self[kind]


# Fields that hold plain values in every kind of node that has them, or nothing anybody looks for.
_PLAIN_FIELDS = frozenset("ctx attr id kind type_comment module level is_async simple conversion".split())
_BLOCK_FIELDS = ("body", "orelse", "handlers", "finalbody", "cases")
_PARTS = _PartsByKind()
_BLOCKS = _BlocksByKind()


@cache
def _longest_word(piece: str) -> str:
    return max(words_of(piece), key=len, default="")


def lines_of(text: str) -> list[str]:
    """The lines as Python counts them: `splitlines` also breaks at form feeds and at marks of Unicode."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def read_source(path: Path) -> Source:
    """Read and parse a file, or say in one sentence why that cannot be done."""
    return parse_source(str(path), decode(str(path), read_bytes(path)))


def read_bytes(path: Path) -> bytes:
    try:
        return read_regular(path, MAX_NOTEBOOK_BYTES)
    except OSError as error:
        raise UnreadableSource(str(path), f"{error.strerror}.") from None


def decode(path: str, data: bytes, most: int = MAX_BYTES) -> str:
    """The text behind the bytes, by PEP 263 and byte-order mark, as Python itself would read it."""
    refuse_large(path, len(data), most)
    if b"\0" in data:
        raise UnreadableSource(path, "it is a binary file, not Python source.")
    try:
        text = data.decode(encoding_of(data))
    except (SyntaxError, ValueError, LookupError):  # a codec may fail in its own way
        declared = any(b"coding" in line for line in data.split(b"\n", 2)[:2])
        reason = "its text encoding is not what it declares." if declared else "it is not encoded in UTF-8."
        raise UnreadableSource(path, reason) from None
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ")


def refuse_large(path: str, size: int, most: int = MAX_BYTES) -> None:
    if size > most:
        raise UnreadableSource(path, f"it is {size:,} bytes long; files so large are generated.")


def encoding_of(data: bytes) -> str:
    """By mark or declaration, which few files have: what reads it is loaded for those only."""
    first_lines = data.split(b"\n", 2)[:2]
    if not data.startswith(b"\xef\xbb\xbf") and not any(b"coding" in line for line in first_lines):
        return "utf-8"
    import io
    import tokenize

    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]


def parse_source(path: str, text: str, repair: bool = False) -> Source:
    """Parse; with `repair`, what does not parse is left out, and the rest analysed as far as it goes."""
    try:
        return Source(path, text, ast.parse(text))
    except SyntaxError as error:
        if repair:
            from sleuth.source.fragments import mended

            if (found := mended(text)) is not None:
                trouble = None if found.whole else (error.lineno or 1, error.msg)
                return Source(path, text, found.tree, trouble, found.gaps)
        reason = "it is written in Python 2." if _looks_like_python_2(text, error) else f"{error.msg}."
        raise UnreadableSource(path, reason, error.lineno) from None
    except (RecursionError, MemoryError):
        raise UnreadableSource(path, "it is nested too deeply to be parsed.") from None
    except ValueError as error:
        raise UnreadableSource(path, f"{error}.") from None


def _looks_like_python_2(text: str, error: SyntaxError) -> bool:
    lines = lines_of(text)
    line = lines[error.lineno - 1] if error.lineno and error.lineno <= len(lines) else ""
    return bool(
        re.match(r"\s*(print\s+[\"'\w%]|exec\s+[\"'\w]|except\s+\w+\s*,\s*\w+\s*:|raise\s+\w+\s*,)", line)
    )


class Project:
    """Finds the local file behind an import. Recent files stay parsed; old ones are forgotten, so that
    memory does not grow with the tree."""

    def __init__(self) -> None:
        self._files: dict[Path, tuple[object, Source | None, str]] = {}
        self._parsed: dict[Path, Source] = {}  # the oldest first
        # What each imported file defines, filled in by the interpreter.
        self.scopes: dict[Source, Scope] = {}
        # Every local file looked for since the last clearing → its fingerprint (ABSENT: there is none).
        self.consulted: dict[str, str] = {}

    def add(self, source: Source, digest: str) -> None:
        """Remember a file that was parsed for its own sake: others may import it."""
        path = Path(source.path).absolute()
        self._keep(path, _stamp(path), source, digest)

    def known(self, path: Path, digest: str) -> Source | None:
        """The file as parsed before, if it was and still reads the same."""
        _, source, then = self._files.get(path.absolute(), (None, None, ABSENT))
        return source if then == digest else None

    def find(self, module: str, level: int, importer: Source) -> Source | None:
        """The source of `module` as imported (with `level` leading dots) from another file of the project."""
        folder = Path(importer.path).absolute().parent
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            return self._load(folder, module)
        for base in (folder, *list(folder.parents)[:FOLDERS_UP]):
            if (found := self._load(base, module)) is not None:
                return found
        return None

    def _load(self, folder: Path, module: str) -> Source | None:
        stem = folder.joinpath(*module.split(".")) if module else folder
        choices = [stem.with_suffix(".py"), stem / "__init__.py"] if module else [stem / "__init__.py"]
        for path in choices:
            stamp = _stamp(path)
            if path not in self._files or self._files[path][0] != stamp:
                self._keep(path, stamp, *_try_read(path))
            _, source, digest = self._files[path]
            self.consulted[str(path)] = digest
            if source is not None:
                return source
        return None

    def _keep(self, path: Path, stamp: object, source: Source | None, digest: str) -> None:
        self._files[path] = (stamp, source, digest)
        self._parsed.pop(path, None)
        if source is not None:
            self._parsed[path] = source
        while len(self._parsed) > KEPT_FILES:
            oldest = next(iter(self._parsed))
            self.scopes.pop(self._parsed.pop(oldest), None)
            del self._files[oldest]


def fingerprint(data: bytes) -> str:
    import hashlib  # loads a cryptography library: not before it is needed

    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes when the file is written, appears or goes away: a watching linter must see that."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _try_read(path: Path) -> tuple[Source | None, str]:
    if not path.is_file():
        return None, ABSENT
    try:
        data = read_bytes(path)
        return parse_source(str(path), decode(str(path), data)), fingerprint(data)
    except UnreadableSource:
        return None, ABSENT
